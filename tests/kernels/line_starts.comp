#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Text { uint text[]; };
layout(binding = 1) buffer Lines {
  uint count;
  uint starts[];
} lines;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uvec4 bytes = uvec4(text[i]) >> uvec4(0u, 8u, 16u, 24u) & 0xffu;
  for (uint k = 0u; k < 4u; ++k) {
    if (bytes[k] != 10u) continue;
    lines.starts[atomicAdd(lines.count, 1u)] = 4u * i + k + 1u;
  }
}
