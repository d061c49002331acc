#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Points { vec4 points[]; };
layout(binding = 1) writeonly buffer Result { vec4 result[]; };
layout(push_constant) uniform Push {
  mat4 transform;
  vec4 rows[2];
  vec3 bias;
  float gain;
  uvec2 range;
  int shift;
  uint flags;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < push.range.x || i >= push.range.y) return;
  vec4 p = push.transform * points[i];
  if ((push.flags & 2u) != 0u) p += push.rows[i & 1u];
  p.xyz = p.xyz * push.gain + push.bias;
  p.w += float(push.shift);
  result[i] = p;
}
