#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { vec2 source[]; };
layout(binding = 1) writeonly buffer Result { vec2 result[]; };
layout(push_constant) uniform Push { uint half_size; } push;

vec2 multiply(vec2 a, vec2 b) {
  return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

void main() {
  const uint k = gl_GlobalInvocationID.x % push.half_size;
  const uint low = 2u * (gl_GlobalInvocationID.x - k) + k;
  const float angle = -3.14159265 * float(k) / float(push.half_size);
  const vec2 even = source[low];
  const vec2 odd = multiply(source[low + push.half_size], vec2(cos(angle), sin(angle)));
  result[low] = even + odd;
  result[low + push.half_size] = even - odd;
}
