#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) buffer Totals {
  uint sum;
  int low;
  int high;
  uint all_bits;
  uint any_bits;
  uint odd_bits;
  uint owner;
};
layout(binding = 2) buffer Slots { uint slots[]; };
layout(binding = 3) writeonly buffer Previous { uint previous[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const int v = source[i];
  atomicAdd(sum, uint(v));
  atomicMin(low, v);
  atomicMax(high, v);
  atomicAnd(all_bits, uint(v) | 0x1000u);
  atomicOr(any_bits, uint(v) & 0xffff00u);
  atomicXor(odd_bits, uint(v));
  atomicCompSwap(owner, 0u, 77u);
  previous[i] = atomicExchange(slots[i], i * 3u);
}
