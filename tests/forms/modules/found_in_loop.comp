#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Found { uint most[]; };
layout(binding = 1) buffer Own { uint own[]; };
layout(binding = 2) buffer Result { uint result[]; };

// Loops with a count, and one with another way out, that branch on what an atomic gives.
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint sum = 0u;
  for (uint k = 0u; k < 5u; ++k) {
    if (atomicMax(own[i], k * k + i) < 9u) {
      sum += k;
      continue;
    }
    for (uint n = 0u; n < k; ++n) {
      if (atomicXor(own[i], n) > 20u) sum ^= 5u;
      if (n * k > 7u) break;
    }
    atomicAdd(most[i % 8u], k);
  }
  result[i] = sum;
}
