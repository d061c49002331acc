#version 450
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) writeonly buffer Votes { uint votes[]; };

shared uint found;

void main() {
  if (gl_LocalInvocationIndex == 0u) found = 0u;
  barrier();
  if (subgroupAny(source[gl_GlobalInvocationID.x] < 0)) atomicOr(found, 1u);
  barrier();
  if (gl_LocalInvocationIndex == 0u) votes[gl_WorkGroupID.x] = found;
}
