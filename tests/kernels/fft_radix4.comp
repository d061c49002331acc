#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Signal { vec2 signal[]; };

vec2 times_minus_i(vec2 v) {
  return vec2(v.y, -v.x);
}

void main() {
  const uint base = gl_GlobalInvocationID.x * 4u;
  const vec2 a = signal[base] + signal[base + 2u];
  const vec2 b = signal[base] - signal[base + 2u];
  const vec2 c = signal[base + 1u] + signal[base + 3u];
  const vec2 d = times_minus_i(signal[base + 1u] - signal[base + 3u]);
  signal[base] = a + c;
  signal[base + 1u] = b + d;
  signal[base + 2u] = a - c;
  signal[base + 3u] = b - d;
}
