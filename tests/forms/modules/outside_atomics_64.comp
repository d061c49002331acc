#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(binding = 1) buffer View { uint64_t view[]; };
layout(binding = 2) writeonly buffer Result { uint64_t result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const int at = indices[i].x;
  result[3u * i] = atomicAdd(view[at], uint64_t(5) << 33u) + 1ul;
  result[3u * i + 1u] = atomicExchange(view[at], 0ul) + 1ul;
  result[3u * i + 2u] = atomicCompSwap(view[at], 0ul, uint64_t(i + 7u) << 35u) + 1ul;
}
