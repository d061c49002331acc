#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Unsigned { uint64_t u[]; };
layout(binding = 1) buffer Signed { int64_t s[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint64_t v = u[i];
  u[i] = (v << 7 | v >> 57) * 0x9e3779b97f4a7c15UL + uint64_t(s[i] < 0L ? 1u : 0u);
  s[i] = s[i] / 1000L - int64_t(v & 0xffUL);
}
