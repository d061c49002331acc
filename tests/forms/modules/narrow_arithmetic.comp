#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16) in;
layout(binding = 0) buffer Bytes { i8vec4 bytes[]; };
layout(binding = 1) buffer Shorts { u16vec3 shorts[]; };
layout(binding = 2) buffer Halves { f16vec2 halves[]; };
layout(binding = 3) writeonly buffer Result { int result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  bytes[i] = bytes[i] + i8vec4(1, 2, 3, 4);
  shorts[i] = shorts[i] * uint16_t(3);
  halves[i] = halves[i] * float16_t(2.0);
  int sum = int(bytes[i].z) * 3 + int(shorts[i].y) * 5 + int(halves[i].y);
  sum += int(bytes[i][i & 3u]) + int(shorts[i][i % 3u]);
  result[i] = sum;
}
