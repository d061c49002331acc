#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Keys { uint keys[]; };

shared uint sorted[128];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint base = gl_WorkGroupID.x * 128u;
  sorted[lane] = keys[base + lane];
  sorted[lane + 64u] = keys[base + lane + 64u];
  for (uint size = 2u; size <= 128u; size <<= 1) {
    for (uint reach = size >> 1; reach > 0u; reach >>= 1) {
      barrier();
      const uint low = 2u * reach * (lane / reach) + lane % reach;
      const bool ascending = (low & size) == 0u;
      const uint a = sorted[low];
      const uint b = sorted[low + reach];
      if ((a > b) == ascending) {
        sorted[low] = b;
        sorted[low + reach] = a;
      }
    }
  }
  barrier();
  keys[base + lane] = sorted[lane];
  keys[base + lane + 64u] = sorted[lane + 64u];
}
