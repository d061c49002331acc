#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
struct Item { uvec2 pair; uint values[2]; };
layout(binding = 1) uniform Table { uvec4 rows[4]; uint after; Item items[2]; };
layout(binding = 2) writeonly buffer Result { uvec4 result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const ivec2 at = indices[i];
  const uvec4 row = rows[at.x];
  result[i] = uvec4(row.y + 1u, rows[1][at.y] + 1u, items[at.x].values[at.y] + 1u, items[1].pair[at.x] + 1u);
}
