#version 450
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) readonly buffer Source { vec2 source[]; };
layout(binding = 1) writeonly buffer Result { vec4 result[]; };
layout(push_constant) uniform Push { uvec2 extent; } push;

void main() {
  if (any(greaterThanEqual(gl_GlobalInvocationID.xy, push.extent))) return;
  const uint i = gl_GlobalInvocationID.y * push.extent.x + gl_GlobalInvocationID.x;
  const vec2 v = source[i];
  result[i] = vec4(clamp(v.x, -2.0, 2.5), mix(v.x, v.y, 0.25), sign(v.x) * floor(v.y), max(abs(v.x), step(v.x, v.y)));
}
