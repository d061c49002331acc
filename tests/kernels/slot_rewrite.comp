#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 0) writeonly buffer Pairs { uvec2 pairs[]; };

// Reads a buffer through one block and writes it through another.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint first = words[2u * i];
  const uint second = words[2u * i + 1u];
  pairs[i] = uvec2(second ^ 7u, first + i);
}
