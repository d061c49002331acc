#version 450
layout(local_size_x = 4, local_size_y = 3, local_size_z = 2) in;
layout(binding = 0) writeonly buffer Result { uvec4 result[]; };
shared uint tile[gl_WorkGroupSize.x * gl_WorkGroupSize.y];

// The size as a constant of the language, in code and as the size of an array.
void main() {
  const uvec3 size = gl_WorkGroupSize * gl_NumWorkGroups;
  const uvec3 id = gl_GlobalInvocationID;
  if (gl_LocalInvocationID.z == 0u) tile[gl_LocalInvocationID.y * gl_WorkGroupSize.x + gl_LocalInvocationID.x] = id.x;
  barrier();
  result[(id.z * size.y + id.y) * size.x + id.x] =
      uvec4(tile[gl_LocalInvocationIndex % 12u], id.y, gl_WorkGroupID.z, gl_WorkGroupSize.y);
}
