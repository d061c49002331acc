#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uvec2 result[]; };

void main() {
  const uint base = gl_GlobalInvocationID.x * 20u;
  uint sum = 0u;
  uint steps = 0u;
  for (uint k = 0u; k < 20u; ++k) {
    const uint v = source[base + k];
    if (v % 5u == 0u) continue;
    if (v > 90u) break;
    sum += v;
    for (uint j = 8u; j > 0u; j -= 2u) {
      ++steps;
      if (j * 10u < v) break;
    }
  }
  uint k = 20u;
  while (true) {
    if (k == 0u || source[base + k - 1u] > 70u) break;
    --k;
  }
  result[gl_GlobalInvocationID.x] = uvec2(sum * 1000u + steps, k);
}
