#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) writeonly buffer Result { uvec2 result[]; };
layout(push_constant) uniform Push { uint before; uint table[6]; uint after; uvec4 rows[3]; uint last; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const ivec2 at = indices[i];
  result[i] = uvec2(table[at.x] + 1u, rows[at.x][at.y] + 1u);
}
