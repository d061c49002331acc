#version 450
// The sum of 128 numbers, in one workgroup.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Parts { float parts[]; };
layout(binding = 1) writeonly buffer Total { float total; };

shared float part[128];

void main() {
  const uint i = gl_LocalInvocationID.x;
  part[i] = parts[i];
  for (uint half_size = 64u; half_size > 0u; half_size /= 2u) {
    barrier();
    if (i < half_size) part[i] += part[i + half_size];
  }
  if (i == 0u) total = part[0];
}
