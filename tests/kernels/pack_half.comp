#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { vec2 source[]; };
layout(binding = 1) writeonly buffer Packed { uint packed_halves[]; };
layout(binding = 2) writeonly buffer Bits { uvec2 bits[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint halves = packHalf2x16(source[i]);
  packed_halves[i] = halves;
  bits[i] = floatBitsToUint(unpackHalf2x16(halves) * 2.0);
}
