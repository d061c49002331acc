#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
struct Item { uint head; uint values[3]; };
layout(binding = 1) buffer View { Item view[]; };
layout(binding = 2) writeonly buffer Result { uvec2 result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const ivec2 at = indices[i];
  const uint first = atomicAdd(view[at.x].values[at.y], 7u);
  result[i] = uvec2(first + 1u, atomicCompSwap(view[at.x].values[at.y], 0u, 9u) + 1u);
}
