#version 450
// The product of two matrices of 16 rows and columns, an element to an invocation.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };

const uint kSize = 16u;

void main() {
  const uvec2 at = gl_LocalInvocationID.xy;
  float sum = 0.0;
  for (uint k = 0u; k < kSize; ++k) sum += a[at.y * kSize + k] * b[k * kSize + at.x];
  c[at.y * kSize + at.x] = sum;
}
