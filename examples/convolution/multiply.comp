#version 450
// Products of complex numbers, scaled.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { vec2 a[]; };
layout(binding = 1) readonly buffer B { vec2 b[]; };
layout(binding = 2) writeonly buffer Product { vec2 product[]; };
layout(push_constant) uniform Push {
  uint count;
  float scale;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= push.count) return;
  product[i] = push.scale * vec2(a[i].x * b[i].x - a[i].y * b[i].y, a[i].x * b[i].y + a[i].y * b[i].x);
}
