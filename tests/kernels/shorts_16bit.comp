#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Unsigned { u16vec2 u[]; };
layout(binding = 1) readonly buffer Signed { int16_t s[]; };
layout(binding = 2) writeonly buffer Result { uint16_t result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint16_t sum = u[i].x + u[i].y * uint16_t(7);
  const int16_t bounded = clamp(s[i], int16_t(-300), int16_t(300));
  result[2u * i] = sum;
  result[2u * i + 1u] = uint16_t(bounded) ^ (sum >> uint16_t(3));
}
