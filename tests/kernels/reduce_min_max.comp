#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) writeonly buffer Extremes { ivec2 extremes[]; };

shared int lows[64];
shared int highs[64];

void main() {
  const uint lane = gl_LocalInvocationIndex;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  lows[lane] = source[group * 64u + lane];
  highs[lane] = lows[lane];
  for (uint stride = 1u; stride < 64u; stride *= 2u) {
    barrier();
    if (lane % (2u * stride) == 0u) {
      lows[lane] = min(lows[lane], lows[lane + stride]);
      highs[lane] = max(highs[lane], highs[lane + stride]);
    }
  }
  if (lane == 0u) extremes[group] = ivec2(lows[0], highs[0]);
}
