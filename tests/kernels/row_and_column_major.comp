#version 450
layout(local_size_x = 32) in;
layout(binding = 0, std430) readonly buffer Matrices {
  layout(row_major) mat4x3 by_rows;
  layout(column_major) mat4x3 by_columns;
  layout(row_major) mat2 pairs[2];
} matrices;
layout(binding = 1) readonly buffer Points { vec4 points[]; };
layout(binding = 2) buffer Results {
  layout(row_major) mat2x4 results[];
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const vec3 a = matrices.by_rows * points[i];
  const vec3 b = matrices.by_columns * points[i];
  const vec2 c = matrices.pairs[i & 1u] * a.xy;
  results[i] = mat2x4(vec4(a, c.x), vec4(b, c.y));
  results[i][1].z += matrices.by_rows[3].y;
}
