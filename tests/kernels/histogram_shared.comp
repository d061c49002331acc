#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) buffer Bins { uint bins[64]; };
layout(push_constant) uniform Push { uint count; } push;

shared uint local_bins[64];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  local_bins[lane] = 0u;
  barrier();
  const uint step_size = gl_NumWorkGroups.x * 64u;
  for (uint i = gl_GlobalInvocationID.x; i < push.count; i += step_size) atomicAdd(local_bins[source[i] % 64u], 1u);
  barrier();
  if (local_bins[lane] != 0u) atomicAdd(bins[lane], local_bins[lane]);
}
