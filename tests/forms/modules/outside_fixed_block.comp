#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) buffer View { uint before; uint grid[4][5]; uint after; uint rest[]; };
layout(binding = 2) writeonly buffer Result { uint result[]; };
layout(binding = 3) buffer Target { uint first; uint cells[4][5]; uint last; };

// An array of arrays: an index beyond a row is in the next.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const ivec2 at = indices[i];
  result[i] = grid[at.x][at.y] + 1u;
  cells[at.x][at.y] = 1000u + i;
}
