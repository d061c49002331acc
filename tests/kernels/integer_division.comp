#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Numerators { int numerators[]; };
layout(binding = 1) readonly buffer Denominators { int denominators[]; };
layout(binding = 2) writeonly buffer Quotients { ivec2 quotients[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const int n = numerators[i];
  const int d = denominators[i];
  quotients[i] = ivec2(n / d, int(uint(n) % uint(d)));
}
