#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 16) in;
layout(binding = 0) writeonly buffer Whole { uint64_t whole[]; };
layout(binding = 1) writeonly buffer Real { double real[]; };
layout(push_constant) uniform Push {
  float small;
  double large;
  uint64_t seed;
  layout(offset = 32) i64vec2 bounds;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const int64_t low = max(push.bounds.x, int64_t(i) - 20L);
  whole[i] = push.seed * uint64_t(i) + uint64_t(min(push.bounds.y, low));
  real[i] = push.large * double(i) + double(push.small);
}
