#version 450
layout(local_size_x = 8) in;
layout(binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push {
  layout(offset = 4) uint first;
  layout(offset = 32) uvec2 pair;
  layout(offset = 124) uint last;
};

// The last byte of the largest block that every device has.
void main() { result[gl_GlobalInvocationID.x] = first * 3u + pair.y * 5u + last + gl_GlobalInvocationID.x; }
