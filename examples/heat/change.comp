#version 450
// The largest difference between two plates. Bits of floats that are not negative are in the order of the floats.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Before { float before[]; };
layout(binding = 1) readonly buffer After { float after[]; };
layout(binding = 2) buffer Largest { uint largest_bits; };
layout(push_constant) uniform Push { uint count; } push;

shared float part[256];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint local = gl_LocalInvocationID.x;
  part[local] = i < push.count ? abs(after[i] - before[i]) : 0.0;
  for (uint half_size = 128u; half_size > 0u; half_size /= 2u) {
    barrier();
    if (local < half_size) part[local] = max(part[local], part[local + half_size]);
  }
  if (local == 0u) atomicMax(largest_bits, floatBitsToUint(part[0]));
}
