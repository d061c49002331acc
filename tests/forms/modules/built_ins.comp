#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(binding = 0) writeonly buffer Result { uint result[]; };

uint by_index(uvec3 id, uint k) { return id[k]; }

void main() {
  const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
  const uint at = (gl_GlobalInvocationID.z * size.y + gl_GlobalInvocationID.y) * size.x + gl_GlobalInvocationID.x;
  uint sum = at;
  for (uint k = 0u; k < 3u; ++k) {
    sum = sum * 3u + gl_WorkGroupID[k] + gl_NumWorkGroups[2u - k] * 5u;
    sum = sum * 5u + gl_GlobalInvocationID[k] + by_index(gl_LocalInvocationID, k);
  }
  sum += gl_LocalInvocationIndex * 7u + gl_NumSubgroups + gl_SubgroupSize + gl_SubgroupID;
  result[at] = sum + gl_SubgroupInvocationID * 11u;
}
