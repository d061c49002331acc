#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Measured { vec2 pairs[]; } measured;
layout(binding = 1) buffer Headed {
  uvec3 head;
  uint rest[];
} headed;
layout(binding = 2) writeonly buffer Lengths { uint lengths[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= lengths.length()) return;
  lengths[i] = uint(measured.pairs.length()) * 1000u + uint(headed.rest.length()) * i;
}
