#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Flags { uint ready; uint turn; };
layout(binding = 1) buffer Result { uint result[]; };

// What it waits for is there when it is run, so that it ends.
void main() {
  while (atomicAdd(ready, 0u) == 0u) {
  }
  atomicAdd(turn, 1u);
  result[gl_GlobalInvocationID.x] = 5u;
}
