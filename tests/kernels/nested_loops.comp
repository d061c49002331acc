#version 450
layout(local_size_x = 4, local_size_y = 4, local_size_z = 2) in;
layout(binding = 0) writeonly buffer Result { uint result[]; };

void main() {
  const uvec3 p = gl_GlobalInvocationID;
  uint count = 0u;
  for (uint a = 1u; a < 12u; ++a) {
    for (uint b = a; b < 12u; ++b) {
      for (uint c = 0u; c <= p.z; ++c) {
        if ((a * p.x + b * p.y + c) % 3u == 0u) count += a + b * c;
      }
    }
  }
  const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
  result[(p.z * size.y + p.y) * size.x + p.x] = count;
}
