#version 450
// The values of all positions up to the one at hand, weighted by the scores of a head: an invocation for two components.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(constant_id = 0) const bool kFromState = false;  // Whether the number of positions comes from the state.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Scores { float scores[]; };
layout(binding = 1) readonly buffer Values { uint values[]; };
layout(binding = 2) writeonly buffer Outputs { vec2 outputs[]; };
layout(binding = 3) readonly buffer State { uint token; uint position; };
layout(push_constant) uniform Push {
  uint positions;   // That attention looks at, unless that comes from the state.
  uint layer;       // Which of the caches that stand one after another.
  uint row_pairs;   // Of all heads.
  uint head_pairs;  // Of a head.
  uint context;     // The most positions there are.
} push;

void main() {
  BEGIN_KERNEL
  const uint positions = kFromState ? min(position + 1u, push.context) : push.positions;
  const uint pair = gl_GlobalInvocationID.x;
  if (pair >= push.row_pairs) return;
  const uint first = pair / push.head_pairs * push.context;
  vec2 sum = vec2(0.0);
  for (uint i = 0u; i < positions; ++i) {
    sum += scores[first + i] * unpackHalf2x16(values[(push.layer * push.context + i) * push.row_pairs + pair]);
  }
  outputs[pair] = sum;
}
