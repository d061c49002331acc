#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Left { uvec4 values[]; } left;
layout(binding = 1) readonly buffer Right { uvec4 values[]; } right;
layout(binding = 2) writeonly buffer Sum { uvec4 values[]; } sum;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  sum.values[i] = left.values[i] + right.values[i];
}
