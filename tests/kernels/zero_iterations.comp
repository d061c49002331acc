#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Counts { uint counts[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint none; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = 1u;
  for (uint k = 0u; k < counts[i]; ++k) sum += k + 1u;
  for (uint k = 5u; k < 5u; ++k) sum = 0u;
  for (uint k = 0u; k < push.none; ++k) sum = 0u;
  result[i] = sum;
}
