#version 450
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { uint count; } push;

shared uint partial[128];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint lane = gl_LocalInvocationID.x;
  partial[lane] = i < push.count ? source[i] : 0u;
  barrier();
  for (uint half_size = 64u; half_size > 0u; half_size >>= 1) {
    if (lane < half_size) partial[lane] += partial[lane + half_size];
    barrier();
  }
  if (lane == 0u) sums[gl_WorkGroupID.x] = partial[0];
}
