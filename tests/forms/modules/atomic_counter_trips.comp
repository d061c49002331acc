#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Cells { uint total; uint own[]; };
layout(binding = 1) buffer Result { uint result[]; };

// Atomics inside loops that do not decide when those end.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = 0u;
  for (uint k = 0u; k < 5u; ++k) {
    atomicAdd(total, k);
    sum += atomicAdd(own[i], k + 1u);
  }
  result[i] = sum;
}
