#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std140) uniform Weights { float weights[5]; };
layout(binding = 1) readonly buffer Source { float source[]; };
layout(binding = 2) writeonly buffer Result { float result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint k = 0u; k < 5u; ++k) sum += weights[k] * source[i + k];
  result[i] = sum;
}
