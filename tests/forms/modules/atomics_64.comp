#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Cells { uint64_t cells[4]; int64_t low; uint64_t own[]; };
layout(binding = 1) writeonly buffer Result { uint64_t result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  atomicAdd(cells[0], uint64_t(i) << 30u);
  atomicMax(cells[1], uint64_t(i) << 33u);
  atomicOr(cells[2], uint64_t(1) << (i & 63u));
  atomicXor(cells[3], uint64_t(3) << (i & 31u));
  atomicMin(low, -(int64_t(i) << 32u));
  uint64_t sum = atomicAdd(own[i], uint64_t(1) << 40u);
  sum = sum * 3ul + atomicExchange(own[i], sum ^ 0xffffffffful);
  const uint64_t before = own[i];
  sum = sum * 5ul + atomicCompSwap(own[i], before, before * 3ul);
  sum += atomicCompSwap(own[i], before + 1ul, 0ul);
  result[i] = sum;
}
