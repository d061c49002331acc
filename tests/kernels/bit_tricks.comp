#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { ivec4 result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint v = source[i];
  result[i] = ivec4(bitCount(v), findMSB(v), findLSB(v), int(bitfieldReverse(v) ^ bitfieldExtract(v, 5, 9)));
}
