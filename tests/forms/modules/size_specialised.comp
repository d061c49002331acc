#version 450
layout(local_size_x_id = 3, local_size_y_id = 1, local_size_z = 1) in;
layout(constant_id = 3) const uint kWidth = 4u;
layout(constant_id = 7) const uint kScale = 2u;
layout(binding = 0) writeonly buffer Result { uvec4 result[]; };
shared uint tile[gl_WorkGroupSize.x];

void main() {
  const uvec3 size = gl_WorkGroupSize * gl_NumWorkGroups;
  const uvec3 id = gl_GlobalInvocationID;
  if (gl_LocalInvocationID.y == 0u) tile[gl_LocalInvocationID.x] = id.x * kScale;
  barrier();
  const uint across = tile[gl_WorkGroupSize.x - 1u - gl_LocalInvocationID.x];
  result[id.y * size.x + id.x] = uvec4(across, kWidth, gl_WorkGroupSize.y, gl_LocalInvocationIndex);
}
