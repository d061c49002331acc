#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) buffer View { uint view[]; };
layout(binding = 2) buffer Signs { int signs[]; };
layout(binding = 3) writeonly buffer Result { uint result[]; };

// A comparison with zero, which is what an atomic outside gives.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const int at = indices[i].x;
  result[10u * i] = atomicAdd(view[at], 5u + i) + 1u;
  result[10u * i + 1u] = atomicMin(view[at], 90u) + 1u;
  result[10u * i + 2u] = atomicMax(view[at], 60u) + 1u;
  result[10u * i + 3u] = atomicAnd(view[at], 0x3eu) + 1u;
  result[10u * i + 4u] = atomicOr(view[at], 0x41u) + 1u;
  result[10u * i + 5u] = atomicXor(view[at], 0xffu) + 1u;
  result[10u * i + 6u] = atomicExchange(view[at], 0u) + 1u;
  result[10u * i + 7u] = atomicCompSwap(view[at], 0u, 77u + i) + 1u;
  result[10u * i + 8u] = uint(atomicMin(signs[at], -9) + 1);
  result[10u * i + 9u] = uint(atomicMax(signs[at], -4) + 1);
}
