#version 450
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint kLength = 4u;
layout(constant_id = 1) const uint kOther = 2u;
layout(binding = 0) buffer Fixed { uint head; uint values[kLength]; };
layout(binding = 1) buffer Result { uint result[]; };
layout(binding = 2) uniform Table { uvec4 rows[kLength * kOther]; };
shared uint tile[kLength * 2u];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0u) {
    for (uint k = 0u; k < 2u * kLength; ++k) tile[k] = values[k / 2u] + k;
  }
  barrier();
  result[i] = head + values[i % kLength] * 3u + tile[i % (2u * kLength)] + rows[i % (kLength * kOther)].z;
}
