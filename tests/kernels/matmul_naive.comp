#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push {
  uint rows;
  uint inner;
  uint columns;
};

void main() {
  const uint row = gl_GlobalInvocationID.y;
  const uint column = gl_GlobalInvocationID.x;
  if (row >= rows || column >= columns) return;
  float sum = 0.0;
  for (uint k = 0u; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}
