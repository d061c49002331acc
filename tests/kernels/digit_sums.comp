#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };

void main() {
  uint rest = source[gl_GlobalInvocationID.x];
  uint sum = 0u;
  do {
    sum += rest % 10u;
    rest /= 10u;
    if (rest == 7u) continue;
    sum += 100u;
  } while (rest != 0u);
  result[gl_GlobalInvocationID.x] = sum;
}
