#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) buffer Counts { uint counts[]; };
shared uint bins[8];

void main() {
  const uint local = gl_LocalInvocationIndex;
  if (local < 8u) bins[local] = 0u;
  barrier();
  atomicAdd(bins[words[gl_GlobalInvocationID.x] & 7u], 1u);
  barrier();
  if (local < 8u) atomicAdd(counts[local], bins[local] + gl_WorkGroupID.x);
}
