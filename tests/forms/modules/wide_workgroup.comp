#version 450
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) buffer Result { uint total; uint result[]; };
uint steps = 3u;
uint history[2] = uint[2](1u, 2u);

// No invocation knows of another, so that one can do the work of several if what is private begins anew for each.
void main() {
  const uint i = gl_WorkGroupID.x * 64u + gl_LocalInvocationIndex;
  uint fresh[2] = uint[2](5u, 6u);
  if ((words[i] & 7u) == 1u) return;
  while (steps < 9u) {
    history[steps & 1u] += words[i] + gl_LocalInvocationID.y;
    fresh[1] ^= history[0];
    steps += 1u + (words[i] & 1u);
    if (history[1] % 11u == 0u) {
      atomicAdd(total, 1u);
      result[i] = gl_LocalInvocationID.x;
      return;
    }
  }
  result[i] = history[0] * 3u + history[1] + fresh[0] + fresh[1] + steps + gl_LocalInvocationID.x;
}
