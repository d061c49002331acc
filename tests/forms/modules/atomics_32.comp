#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Cells { uint cells[8]; int signs[4]; uint own[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };
shared uint shared_count;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0u) shared_count = 0u;
  barrier();
  atomicAdd(cells[0], i);
  atomicMin(cells[1], i * 3u + 1u);
  atomicMax(cells[2], i * 5u);
  atomicAnd(cells[3], ~(1u << (i & 31u)));
  atomicOr(cells[4], 1u << (i & 31u));
  atomicXor(cells[5], 1u << (i & 15u));
  atomicMin(signs[i & 1u], -int(i));
  atomicMax(signs[2], int(i) - 20);
  // Where an invocation is alone, what comes back is known too.
  uint sum = atomicAdd(own[i], 5u) * 3u;
  sum += atomicExchange(own[i], sum) * 5u;
  sum += atomicCompSwap(own[i], 0xffffffffu, 1u) * 7u;
  const uint before = own[i];
  sum += atomicCompSwap(own[i], before, before + 9u);
  atomicAdd(shared_count, 1u);
  barrier();
  result[i] = sum + shared_count;
}
