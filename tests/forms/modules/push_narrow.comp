#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
layout(binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push {
  uint8_t small;
  int8_t negative;
  uint16_t medium;
  float16_t half_;
  int16_t table[4];
  u8vec4 bytes;
  f16vec2 halves;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = uint(push.small) + uint(int(push.negative)) * 3u + uint(push.medium) * 5u;
  sum += uint(int(float(push.half_) * 4.0)) * 7u + uint(int(push.table[i & 3u])) * 11u;
  sum += uint(push.bytes.z) * 13u + uint(int(float(push.halves.y) * 2.0)) * 17u;
  result[i] = sum + i;
}
