#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Bytes { u8vec4 bytes[]; };
layout(binding = 1) readonly buffer Shorts { i16vec2 shorts[]; };
layout(binding = 2) readonly buffer Halves { f16vec4 halves[]; };
layout(binding = 3) buffer ByteCopies { u8vec4 byte_copies[]; };
layout(binding = 4) buffer ShortCopies { i16vec2 short_copies[]; };
layout(binding = 5) buffer HalfCopies { f16vec4 half_copies[]; };
layout(binding = 6) writeonly buffer Result { uint result[]; };

// Narrow types can be loaded, stored and converted here and nothing else: there is no arithmetic with them.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  byte_copies[i] = bytes[i];
  short_copies[i] = shorts[i];
  half_copies[i] = halves[i];
  uint sum = uint(byte_copies[i].y) * 3u + uint(byte_copies[i].w) * 5u;
  sum += uint(int(short_copies[i].y)) * 7u;
  sum += uint(int(float(half_copies[i].z) * 8.0)) * 11u;
  byte_copies[i].x = uint8_t(sum);
  result[i] = sum + uint(byte_copies[i].x);
}
