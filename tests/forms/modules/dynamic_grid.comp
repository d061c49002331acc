#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(binding = 0) buffer Seen { uint count; uint seen[]; };

void main() {
  const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
  const uint at = (gl_GlobalInvocationID.z * size.y + gl_GlobalInvocationID.y) * size.x + gl_GlobalInvocationID.x;
  atomicAdd(count, 1u);
  seen[at] = gl_WorkGroupID.x + gl_WorkGroupID.y * 10u + gl_WorkGroupID.z * 100u + gl_NumWorkGroups.y * 1000u;
}
