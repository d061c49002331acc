#version 450
// The product of a query with the key of every position up to the one at hand: an invocation for each position, a row of
// workgroups for each head.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(constant_id = 0) const bool kFromState = false;  // Whether the number of positions comes from the state.
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Query { vec2 query[]; };
layout(binding = 1) readonly buffer Keys { uint keys[]; };
layout(binding = 2) writeonly buffer Scores { float scores[]; };
layout(binding = 3) readonly buffer State { uint token; uint position; };
layout(push_constant) uniform Push {
  uint positions;   // That attention looks at, unless that comes from the state.
  uint layer;       // Which of the caches that stand one after another.
  uint row_pairs;   // Of all heads.
  uint head_pairs;  // Of a head.
  uint context;     // The most positions there are.
  float scale;
} push;

void main() {
  BEGIN_KERNEL
  const uint positions = kFromState ? min(position + 1u, push.context) : push.positions;
  const uint i = gl_GlobalInvocationID.x;
  const uint head = gl_GlobalInvocationID.y;
  if (i >= positions) return;
  const uint first = (push.layer * push.context + i) * push.row_pairs + head * push.head_pairs;
  float sum = 0.0;
  for (uint pair = 0u; pair < push.head_pairs; ++pair) {
    sum += dot(query[head * push.head_pairs + pair], unpackHalf2x16(keys[first + pair]));
  }
  scores[head * push.context + i] = sum * push.scale;
}
