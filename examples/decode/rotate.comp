#version 450
// Rotary embedding, in place: every pair of components of a head is turned by an angle that grows with the position.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { vec2 values[]; };
layout(binding = 1) readonly buffer Turns { vec2 turns[]; };  // Cosine and sine, by position and pair of a head.
layout(binding = 2) readonly buffer State { uint token; uint position; };
layout(push_constant) uniform Push {
  uint pairs;       // Of all heads.
  uint head_pairs;  // Of a head.
} push;

void main() {
  BEGIN_KERNEL
  const uint pair = gl_GlobalInvocationID.x;
  if (pair >= push.pairs) return;
  const vec2 turn = turns[position * push.head_pairs + pair % push.head_pairs];
  const vec2 value = values[pair];
  values[pair] = vec2(value.x * turn.x - value.y * turn.y, value.x * turn.y + value.y * turn.x);
}
