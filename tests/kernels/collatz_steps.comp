#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };

void main() {
  uint v = values[gl_GlobalInvocationID.x];
  uint steps = 0u;
  while (v != 1u) {
    v = (v & 1u) == 0u ? v / 2u : 3u * v + 1u;
    ++steps;
  }
  values[gl_GlobalInvocationID.x] = steps;
}
