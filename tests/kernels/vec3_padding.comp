#version 450
layout(local_size_x = 32) in;
layout(binding = 0, std430) buffer Vectors { ivec3 vectors[]; };
layout(binding = 1, std430) buffer Parts {
  ivec3 low;
  int high;
  ivec3 sums[];
} parts;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const ivec3 v = vectors[i];
  vectors[i].y = v.x + v.z;
  parts.sums[i] = clamp(v, parts.low, ivec3(parts.high));
}
