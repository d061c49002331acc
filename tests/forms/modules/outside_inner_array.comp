#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
struct Item { uint head; uint values[4]; uint tail; };
layout(binding = 1) readonly buffer View { Item view[]; };
layout(binding = 2) buffer Target { Item target[]; };
layout(binding = 3) writeonly buffer Result { uint result[]; };

// Around the inner array there are members that such an index reaches.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const ivec2 at = indices[i];
  result[i] = view[at.x].values[at.y] + 1u;
  target[at.x].values[at.y] = 1000u + i;
}
