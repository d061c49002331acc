#version 450
layout(local_size_x = 1) in;
layout(binding = 0) coherent buffer Flags { uint ready; };
layout(binding = 1) buffer Result { uint result[]; };

// What was seen is kept in a part of a variable.
void main() {
  uint seen[4] = uint[4](0u, 0u, 0u, 0u);
  uint k = gl_GlobalInvocationID.x % 4u;
  do {
    seen[k] = atomicOr(ready, 0u);
  } while (seen[k] != 3u);
  result[gl_GlobalInvocationID.x] = seen[k];
}
