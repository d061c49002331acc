#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Text { uint text[]; };
layout(binding = 1) readonly buffer Lengths { uint lengths[]; };
layout(binding = 2) writeonly buffer Hashes { uint hashes[]; };

const uint kWordsPerString = 6u;

uint byte_at(uint i) {
  return text[i / 4u] >> (8u * (i % 4u)) & 0xffu;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint first = i * kWordsPerString * 4u;
  uint hash = 0x811c9dc5u;
  for (uint k = 0u; k < lengths[i]; ++k) hash = (hash ^ byte_at(first + k)) * 0x01000193u;
  hashes[i] = hash;
}
