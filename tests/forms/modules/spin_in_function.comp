#version 450
layout(local_size_x = 1) in;
layout(binding = 0) coherent buffer Flags { uint ready; };
layout(binding = 1) buffer Result { uint result[]; };

uint seen = 0u;

// What was seen is kept where every function finds it.
void look() { seen = atomicOr(ready, 0u); }

void main() {
  while (seen != 3u) look();
  result[gl_GlobalInvocationID.x] = seen;
}
