#version 450
layout(local_size_x = 128) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(binding = 1) writeonly buffer Totals { uint totals[]; };

shared uint sums[2][128];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint i = gl_GlobalInvocationID.x;
  uint from = 0u;
  sums[0][lane] = values[i];
  for (uint reach = 1u; reach < 128u; reach <<= 1) {
    barrier();
    const uint own = sums[from][lane];
    sums[1u - from][lane] = lane < reach ? own : own + sums[from][lane - reach];
    from = 1u - from;
  }
  values[i] = sums[from][lane];
  if (lane == 127u) totals[gl_WorkGroupID.x] = sums[from][lane];
}
