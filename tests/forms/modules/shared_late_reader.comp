#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };
shared uint first;
shared uint last;

// Reads shared memory as the very last thing, after a barrier that not all reach in the same round.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0u) first = words[i];
  if (gl_LocalInvocationIndex == 63u) last = words[i];
  barrier();
  if ((i & 1u) == 0u) {
    result[i] = first;
    return;
  }
  uint sum = 0u;
  for (uint k = 0u; k < (i & 15u); ++k) sum += words[i - k % 2u];
  result[i] = sum + last;
}
