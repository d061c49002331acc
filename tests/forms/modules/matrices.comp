#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Columns { mat3x4 columns[]; };
layout(std430, row_major, binding = 1) buffer Rows { mat4x3 rows[4]; layout(column_major) mat2 small; mat3 more[]; };
layout(std140, row_major, binding = 2) uniform Table { mat4 turn; mat2x3 thin[2]; };
layout(binding = 3) writeonly buffer Result { float result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint j = i & 1u;
  float sum = columns[i][i % 3u][i & 3u] + columns[i][2].w * 2.0;
  sum += rows[j][i & 3u][i % 3u] * 4.0 + rows[j][3].z;
  const vec3 column = rows[j][i & 3u];
  const mat4x3 whole = rows[j];
  sum += dot(column, whole[1]);
  sum += small[j][1u - j] + more[j][i % 3u][j] * 8.0;
  sum += turn[i & 3u][3u - (i & 3u)] + thin[j][j][i % 3u];
  columns[i][1] = vec4(sum, sum + 1.0, sum + 2.0, sum + 3.0);
  columns[i][i % 3u][3] = sum * 0.5;
  if (i < 2u) {
    rows[i + 2u][i] = vec3(sum);
    rows[i + 2u][i + 2u][i] = -sum;
    more[i + 2u] = mat3(sum) + more[i];
  }
  result[i] = sum + columns[i][1].y;
}
