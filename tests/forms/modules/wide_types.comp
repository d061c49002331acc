#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Numbers { double scale; dvec3 triples[2]; uint64_t longs[]; };
layout(binding = 1) buffer Result { i64vec2 pairs[8]; dmat2 turn; double result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  pairs[i] = i64vec2(int64_t(longs[i] >> 3u), -int64_t(i));
  const double sum = triples[i & 1u][i % 3u] * scale + double(pairs[i].y) + turn[i & 1u].y;
  longs[i] += uint64_t(i) << 40u;
  result[i] = sum + double(uint(longs[i] >> 32u));
}
