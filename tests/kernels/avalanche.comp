#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Keys { uint keys[]; };

uint rotate_left(uint v, uint by) {
  return v << by | v >> (32u - by);
}

void main() {
  uint v = keys[gl_GlobalInvocationID.x];
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  keys[gl_GlobalInvocationID.x] = rotate_left(v ^ v >> 16, 11u);
}
