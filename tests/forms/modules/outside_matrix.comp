#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) readonly buffer Columns { mat3 columns[]; };
layout(row_major, binding = 2) buffer Rows { mat4x2 rows[]; };
layout(binding = 3) writeonly buffer Result { vec4 result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const ivec2 at = indices[i];
  const vec3 column = columns[at.x][at.y];
  result[i] = vec4(column, columns[at.x][1][at.y]);
  rows[at.x][at.y] = vec2(float(i), 0.5);
}
