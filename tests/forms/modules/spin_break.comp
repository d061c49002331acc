#version 450
layout(local_size_x = 1) in;
layout(binding = 0) coherent buffer Flags { uint ready; };
layout(binding = 1) buffer Result { uint result[]; };

// The loop has a bound, which is no reason not to wait in it.
void main() {
  uint seen = 0u;
  for (uint k = 0u; k < 1000u; ++k) {
    seen = atomicOr(ready, 0u);
    if (seen == 3u) break;
  }
  result[gl_GlobalInvocationID.x] = seen;
}
