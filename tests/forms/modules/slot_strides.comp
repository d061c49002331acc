#version 450
layout(local_size_x = 8) in;
struct Item { uint key; uint values[2]; };
layout(binding = 0) buffer Words { uint words[]; };
layout(binding = 0) buffer Quads { uvec4 quads[]; };
layout(binding = 0) buffer Items { uvec4 head; Item items[]; };
layout(binding = 0) buffer Fixed { uint first; uint second[3]; };
layout(binding = 1) buffer Result { uint result[]; };
layout(binding = 1) buffer Pairs { uvec2 pairs[]; };

// One buffer seen in four ways, so that it has as many lengths.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = words[i] + quads[i & 3u].z + items[i & 1u].values[i & 1u] + second[i % 3u] + first + head.w;
  sum += uint(words.length()) * 1000u + uint(quads.length()) * 100u + uint(items.length()) * 10u;
  pairs[16u + i] = uvec2(sum, uint(pairs.length()));
  result[i] = sum ^ uint(result.length());
}
