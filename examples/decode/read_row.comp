#version 450
// The row of a table that belongs to the token at hand.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "weights.glsl"
layout(local_size_x = 32) in;
layout(binding = 1) readonly buffer State { uint token; uint position; };
layout(binding = 2) writeonly buffer Outputs { vec4 outputs[]; };
layout(push_constant) uniform Push {
  uint blocks;  // Of a row.
} push;

void main() {
  BEGIN_KERNEL
  const uint four = gl_GlobalInvocationID.x;
  if (four >= push.blocks * 8u) return;
  const uint block = token * push.blocks + four / 8u;
  outputs[four] = block_scale(block) * four_weights(block, four % 8u);
}
