#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Keys { int keys[]; };

shared int sorted[64];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint base = gl_WorkGroupID.x * 64u;
  sorted[lane] = keys[base + lane];
  sorted[lane + 32u] = keys[base + lane + 32u];
  barrier();
  for (uint round = 0u; round < 64u; ++round) {
    const uint low = 2u * lane + (round & 1u);
    if (low + 1u < 64u && sorted[low] > sorted[low + 1u]) {
      const int swapped = sorted[low];
      sorted[low] = sorted[low + 1u];
      sorted[low + 1u] = swapped;
    }
    barrier();
  }
  keys[base + lane] = sorted[lane];
  keys[base + lane + 32u] = sorted[lane + 32u];
}
