#version 450
// One step of the heat equation: every point inside goes towards the mean of its neighbours.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer Before { float before[]; };
layout(binding = 1) writeonly buffer After { float after[]; };
layout(push_constant) uniform Push {
  uint size;
  float rate;
} push;

void main() {
  const uvec2 at = gl_GlobalInvocationID.xy + 1u;
  if (at.x >= push.size - 1u || at.y >= push.size - 1u) return;
  const uint i = at.y * push.size + at.x;
  const float around = before[i - 1u] + before[i + 1u] + before[i - push.size] + before[i + push.size];
  after[i] = before[i] + push.rate * (around - 4.0 * before[i]);
}
