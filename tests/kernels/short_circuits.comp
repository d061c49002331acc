#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { ivec2 source[]; };
layout(binding = 1) writeonly buffer Result { ivec2 result[]; };

int calls = 0;

bool is_even(int v) {
  ++calls;
  return (v & 1) == 0;
}

void main() {
  const ivec2 v = source[gl_GlobalInvocationID.x];
  int taken = 0;
  if (is_even(v.x) && is_even(v.y)) taken |= 1;
  if (is_even(v.x) || is_even(v.y)) taken |= 2;
  if (is_even(v.x) ^^ is_even(v.y)) taken |= 4;
  taken |= is_even(v.x) ? (is_even(v.y) ? 8 : 16) : 32;
  result[gl_GlobalInvocationID.x] = ivec2(taken, calls);
}
