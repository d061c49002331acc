#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) buffer Wholes { float wholes[]; };
layout(binding = 2) buffer Parts { int exponents[8]; vec2 parts[]; };
layout(binding = 3) buffer Words { uint carry[8]; uint words[]; };

// Instructions that write through a pointer, to a local variable and to what the compiler makes of a buffer.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  float whole;
  const float fraction = modf(source[i], whole);
  parts[i].x = modf(source[i] * 2.0, wholes[i]) + fraction;
  int exponent;
  ivec2 both;
  const vec2 mantissas = frexp(vec2(source[i], whole + 0.5), both);
  parts[i].y = frexp(source[i], exponent) + mantissas.x;
  exponents[i] = exponent + both.y;
  uint low;
  uint high;
  umulExtended(uint(exponent + 200) << 24u, 0x1234567u + i, high, low);
  words[i] = uaddCarry(low, high, carry[i]) ^ high;
}
