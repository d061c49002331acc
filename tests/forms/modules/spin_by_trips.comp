#version 450
layout(local_size_x = 1) in;
layout(binding = 0) coherent buffer Flags { uint ready; };
layout(binding = 1) buffer Result { uint result[]; };

// The way out hangs on a sum, the sum on the trips of a loop, these on a branch, and that on what was found.
void main() {
  uint sum = 0u;
  for (uint trip = 0u; sum < 6u; ++trip) {
    uint end = 0u;
    if (atomicOr(ready, 0u) == 3u) end = 2u;
    sum = 0u;
    for (uint k = 0u; k < end; ++k) sum += 3u;
  }
  result[gl_GlobalInvocationID.x] = sum;
}
