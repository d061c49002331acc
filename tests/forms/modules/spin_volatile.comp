#version 450
layout(local_size_x = 1) in;
layout(binding = 0) volatile buffer Flags { uint ready; };
layout(binding = 1) buffer Result { uint result[]; };

void main() {
  uint trips = 0u;
  do {
    ++trips;
  } while (ready == 0u);
  result[gl_GlobalInvocationID.x] = trips;
}
