#version 450
layout(local_size_x = 4, local_size_y = 1, local_size_z = 2) in;
layout(local_size_x_id = 10, local_size_y_id = 11, local_size_z_id = 12) in;
layout(binding = 0) writeonly buffer Result { uvec4 result[]; };

void main() {
  const uint per_group = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  result[group * per_group + gl_LocalInvocationIndex] = uvec4(gl_LocalInvocationID, per_group);
}
