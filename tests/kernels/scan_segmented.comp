#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) readonly buffer Heads { uint heads[]; };
layout(binding = 2) writeonly buffer Result { int result[]; };

shared int sums[64];
shared uint flags[64];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  sums[lane] = source[gl_GlobalInvocationID.x];
  flags[lane] = lane == 0u ? 1u : heads[gl_GlobalInvocationID.x];
  barrier();
  for (uint reach = 1u; reach < gl_WorkGroupSize.x; reach *= 2u) {
    int carried = 0;
    uint flag = flags[lane];
    if (lane >= reach) {
      if (flag == 0u) carried = sums[lane - reach];
      flag |= flags[lane - reach];
    }
    barrier();
    sums[lane] += carried;
    flags[lane] = flag;
    barrier();
  }
  result[gl_GlobalInvocationID.x] = sums[lane];
}
