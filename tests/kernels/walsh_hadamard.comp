#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Signal { int signal[]; };

shared int cells[64];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint base = gl_WorkGroupID.x * 64u;
  cells[lane] = signal[base + lane];
  cells[lane + 32u] = signal[base + lane + 32u];
  barrier();
  for (uint reach = 1u; reach < 64u; reach <<= 1) {
    const uint low = 2u * reach * (lane / reach) + lane % reach;
    const ivec2 pair = ivec2(cells[low], cells[low + reach]);
    cells[low] = pair.x + pair.y;
    cells[low + reach] = pair.x - pair.y;
    barrier();
  }
  signal[base + lane] = cells[lane];
  signal[base + lane + 32u] = cells[lane + 32u];
}
