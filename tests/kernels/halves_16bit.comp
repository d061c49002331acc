#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Source { f16vec2 source[]; };
layout(binding = 1) writeonly buffer Result { float16_t result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const f16vec2 v = source[i];
  result[i] = v.x * v.y + float16_t(0.5);
}
