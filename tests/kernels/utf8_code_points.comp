#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Text { uint text[]; };
layout(binding = 1) writeonly buffer Counts { uint counts[]; };

shared uint group_count;

void main() {
  if (gl_LocalInvocationIndex == 0u) group_count = 0u;
  barrier();
  const uint word = text[gl_GlobalInvocationID.x];
  uint found = 0u;
  uint shift = 0u;
  do {
    // Continuation bytes are 10xxxxxx; every other byte starts a code point.
    if ((word >> shift & 0xc0u) != 0x80u) ++found;
    shift += 8u;
  } while (shift < 32u);
  atomicAdd(group_count, found);
  barrier();
  if (gl_LocalInvocationIndex == 0u) counts[gl_WorkGroupID.x] = group_count;
}
