#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Left { float left[]; };
layout(binding = 1) readonly buffer Right { float right[]; };
layout(binding = 2) writeonly buffer Partials { float partials[]; };

shared float sums[gl_WorkGroupSize.x];

void main() {
  const uint step_size = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  float sum = 0.0;
  for (uint i = gl_GlobalInvocationID.x; i < left.length(); i += step_size) sum += left[i] * right[i];
  sums[gl_LocalInvocationID.x] = sum;
  barrier();
  if (gl_LocalInvocationID.x != 0u) return;
  float total = 0.0;
  for (uint lane = 0u; lane < gl_WorkGroupSize.x; ++lane) total += sums[lane];
  partials[gl_WorkGroupID.x] = total;
}
