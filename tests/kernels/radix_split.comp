#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint bit; } push;

shared uint zeros_before[64];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint key = source[gl_GlobalInvocationID.x];
  const uint is_zero = 1u - (key >> push.bit & 1u);
  zeros_before[lane] = is_zero;
  barrier();
  for (uint reach = 1u; reach < 64u; reach <<= 1) {
    const uint carried = lane >= reach ? zeros_before[lane - reach] : 0u;
    barrier();
    zeros_before[lane] += carried;
    barrier();
  }
  const uint zeros = zeros_before[63];
  const uint own = zeros_before[lane] - is_zero;
  const uint target = is_zero == 1u ? own : zeros + lane - own;
  result[gl_WorkGroupID.x * 64u + target] = key;
}
