#version 450
layout(local_size_x = 8) in;
struct Pair { uint a; uint b; };
layout(binding = 0) buffer Words { uint words[]; };
layout(binding = 1) buffer Pairs { Pair pairs[]; };
shared uint tile[8];

void change(inout uint a, out uint b, in uint by) {
  b = a ^ by;
  a += by;
}
void change_all(inout uint values[4], Pair pair) {
  for (uint k = 0u; k < 4u; ++k) change(values[k], values[3u - k], pair.a + k);
}
Pair swapped(Pair pair) { return Pair(pair.b, pair.a); }
uint deep(uint n) { return n + words[n & 7u]; }
uint deeper(uint n) { return deep(n) + deep(n + 1u); }

// Buffers and shared memory as arguments, which the compiler copies in and out.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  tile[gl_LocalInvocationIndex] = deeper(i);
  change(words[i + 8u], tile[gl_LocalInvocationIndex], i);
  change(pairs[i].a, pairs[i].b, words[i]);
  uint values[4] = uint[4](i, 2u, 3u, words[i]);
  change_all(values, swapped(pairs[i]));
  pairs[i] = swapped(pairs[i]);
  words[i + 16u] = values[0] + values[1] * 3u + values[2] * 5u + values[3] * 7u + tile[gl_LocalInvocationIndex];
}
