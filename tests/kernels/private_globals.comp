#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };

uint depth = 3u;
uint stack[6] = uint[](9u, 8u, 7u, 0u, 0u, 0u);

void push(uint value) {
  if (depth < 6u) stack[depth++] = value;
}

uint pop() {
  return depth == 0u ? 0u : stack[--depth];
}

void main() {
  const uint v = source[gl_GlobalInvocationID.x];
  for (uint bit = 0u; bit < 8u; ++bit) {
    if ((v >> bit & 1u) != 0u) {
      push(bit + 10u);
    } else {
      const uint top = pop();
      push(top + pop());
    }
  }
  uint hash = depth;
  while (depth > 0u) hash = hash * 31u + pop();
  result[gl_GlobalInvocationID.x] = hash;
}
