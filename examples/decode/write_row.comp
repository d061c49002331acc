#version 450
// Writes a vector as halves into the row of a cache that belongs to the position.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Inputs { vec2 inputs[]; };
layout(binding = 1) writeonly buffer Cache { uint cache[]; };
layout(binding = 2) readonly buffer State { uint token; uint position; };
layout(push_constant) uniform Push {
  uint pairs;
  uint layer;    // Which of the caches that stand one after another.
  uint context;  // The most positions there are.
} push;

// Rounds to the nearest half, ties to even. `packHalf2x16` may round either way.
uvec2 rounded(vec2 values) {
  const uvec2 bits = floatBitsToUint(values);
  return (bits + 0xfffu + ((bits >> 13u) & 1u)) & ~0x1fffu;
}

void main() {
  BEGIN_KERNEL
  const uint pair = gl_GlobalInvocationID.x;
  if (pair >= push.pairs) return;
  cache[(push.layer * push.context + position) * push.pairs + pair] = packHalf2x16(uintBitsToFloat(rounded(inputs[pair])));
}
