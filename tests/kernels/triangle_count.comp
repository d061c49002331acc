#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Offsets { uint offsets[]; };
layout(binding = 1) readonly buffer Targets { uint targets[]; };
layout(binding = 2) buffer Triangles { uint triangles; };

// Both lists are sorted, so one pass over the two finds what they share.
uint common_neighbours(uint a, uint b) {
  uint i = offsets[a];
  uint k = offsets[b];
  uint found = 0u;
  while (i < offsets[a + 1u] && k < offsets[b + 1u]) {
    const uint left = targets[i];
    const uint right = targets[k];
    if (left == right) ++found;
    if (left <= right) ++i;
    if (right <= left) ++k;
  }
  return found;
}

void main() {
  const uint vertex = gl_GlobalInvocationID.x;
  if (vertex + 1u >= offsets.length()) return;
  uint found = 0u;
  for (uint edge = offsets[vertex]; edge < offsets[vertex + 1u]; ++edge) {
    found += common_neighbours(vertex, targets[edge]);
  }
  if (found != 0u) atomicAdd(triangles, found);
}
