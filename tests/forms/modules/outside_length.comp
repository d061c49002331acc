#version 450
layout(local_size_x = 1) in;
struct Item { uint a; uint b[2]; };
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) readonly buffer Items { uvec4 header; Item items[]; };
layout(binding = 2) readonly buffer Quads { uint head; uvec4 quads[]; };
layout(binding = 3) readonly buffer Part { uvec2 pairs[]; } parts[2];
layout(binding = 4) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint which; };

void main() {
  result[0] = uint(words.length());
  result[1] = uint(items.length());
  result[2] = uint(quads.length());
  result[3] = uint(parts[0].pairs.length());
  result[4] = uint(parts[which].pairs.length());
}
