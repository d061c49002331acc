#version 450
// Softmax of the scores of a head, in place: a workgroup for each head.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(constant_id = 0) const bool kFromState = false;  // Whether the number of positions comes from the state.
layout(local_size_x = 32) in;
layout(binding = 0) buffer Scores { float scores[]; };
layout(binding = 1) readonly buffer State { uint token; uint position; };
layout(push_constant) uniform Push {
  uint positions;  // That attention looks at, unless that comes from the state.
  uint context;    // The most positions there are.
} push;
shared float parts[32];

void main() {
  BEGIN_KERNEL
  const uint positions = kFromState ? min(position + 1u, push.context) : push.positions;
  const uint local = gl_LocalInvocationID.x;
  const uint first = gl_WorkGroupID.x * push.context;
  float most = -3.0e38;
  for (uint i = local; i < positions; i += 32u) most = max(most, scores[first + i]);
  parts[local] = most;
  barrier();
  for (uint half_size = 16u; half_size > 0u; half_size /= 2u) {
    if (local < half_size) parts[local] = max(parts[local], parts[local + half_size]);
    barrier();
  }
  most = parts[0];
  barrier();
  float sum = 0.0;
  for (uint i = local; i < positions; i += 32u) {
    const float power = exp(scores[first + i] - most);
    scores[first + i] = power;
    sum += power;
  }
  parts[local] = sum;
  barrier();
  for (uint half_size = 16u; half_size > 0u; half_size /= 2u) {
    if (local < half_size) parts[local] += parts[local + half_size];
    barrier();
  }
  for (uint i = local; i < positions; i += 32u) scores[first + i] /= parts[0];
}
