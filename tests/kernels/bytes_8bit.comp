#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Unsigned { uint8_t u[]; };
layout(binding = 1) buffer Signed { i8vec2 s[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint8_t v = u[i];
  u[i] = v * uint8_t(3) + uint8_t(i);
  s[i] = i8vec2(s[i].y, -s[i].x) + int8_t(v >> uint8_t(4));
}
