#version 450
layout(local_size_x = 16) in;
layout(binding = 0, std140) uniform Rows { vec4 rows[4]; };
layout(binding = 0, std140) uniform Matrix { mat4 matrix; };
layout(binding = 1) writeonly buffer Result { float result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const float row = rows[i / 4u][i % 4u];
  result[i] = row + 2.0 * matrix[i % 4u][i / 4u];
}
