#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) writeonly buffer Result { int result[]; };

int classify(int v) {
  if (v < 0) {
    if (v < -50) return -2;
    return -1;
  }
  for (int divisor = 2; divisor < 10; ++divisor) {
    if (v % divisor == 0) return divisor;
  }
  return v == 1 ? 1 : 100;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= source.length()) return;
  const int v = source[i];
  if (v == 13) return;
  result[i] = classify(v);
  if (v > 80) return;
  result[i + source.length()] = v * v;
}
