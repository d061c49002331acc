#version 450
layout(local_size_x = 3, local_size_y = 2, local_size_z = 2) in;
layout(binding = 0) writeonly buffer Result { uvec4 result[]; };

void main() {
  const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
  const uint flat_index =
      (gl_GlobalInvocationID.z * size.y + gl_GlobalInvocationID.y) * size.x + gl_GlobalInvocationID.x;
  result[3u * flat_index] = uvec4(gl_WorkGroupID, gl_LocalInvocationIndex);
  result[3u * flat_index + 1u] = uvec4(gl_LocalInvocationID, gl_NumWorkGroups.x);
  result[3u * flat_index + 2u] = uvec4(gl_GlobalInvocationID, gl_NumWorkGroups.y * 100u + gl_WorkGroupSize.z);
}
