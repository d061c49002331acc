#version 450
// One pass of a Fourier transform (Stockham, radix 4) along every line of a square: rows, or columns. After passes of
// length 1, 4, 16 ... the lines are transformed, in order. Roots of unity come from a table: the sines and cosines of a
// device may be as coarse as 2^-11.
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) readonly buffer Roots { vec2 roots[]; };
layout(binding = 1) readonly buffer From { vec2 from[]; };
layout(binding = 2) writeonly buffer To { vec2 to[]; };
layout(push_constant) uniform Push {
  uint size;       // Of a line; a power of 4.
  uint done;       // The length that is transformed already.
  uint step;       // Between the elements of a line.
  uint next_line;  // Between the lines.
  float sign;      // 1 for the transform, -1 for its inverse.
} push;

vec2 times(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

vec2 root(uint power) { return roots[power] * vec2(1.0, push.sign); }

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint quarter = push.size / 4u;
  if (i >= quarter) return;
  const uint line = gl_GlobalInvocationID.y * push.next_line;
  const uint within = i & (push.done - 1u);
  const uint power = within * (quarter / push.done);
  const vec2 a = from[line + i * push.step];
  const vec2 b = times(from[line + (i + quarter) * push.step], root(power));
  const vec2 c = times(from[line + (i + 2u * quarter) * push.step], root(2u * power));
  const vec2 d = times(from[line + (i + 3u * quarter) * push.step], root(3u * power));
  const vec2 even_sum = a + c;
  const vec2 even_gap = a - c;
  const vec2 odd_sum = b + d;
  const vec2 odd_gap = push.sign * vec2((b - d).y, -(b - d).x);
  const uint first = line + ((i - within) * 4u + within) * push.step;
  const uint apart = push.done * push.step;
  to[first] = even_sum + odd_sum;
  to[first + apart] = even_gap + odd_gap;
  to[first + 2u * apart] = even_sum - odd_sum;
  to[first + 3u * apart] = even_gap - odd_gap;
}
