#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Sums { uint sums[]; };

shared uint total;

void main() {
  if (gl_LocalInvocationIndex == 0u) total = 0u;
  barrier();
  const uint sum = subgroupAdd(source[gl_GlobalInvocationID.x]);
  if (subgroupElect()) atomicAdd(total, sum);
  barrier();
  if (gl_LocalInvocationIndex == 0u) sums[gl_WorkGroupID.x] = total;
}
