#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Pairs { ivec2 pairs[]; };
layout(binding = 1) writeonly buffer Gaps { int gaps[]; };

struct Span {
  int low;
  int high;
};

void exchange(inout int a, inout int b) {
  const int kept = a;
  a = b;
  b = kept;
}

void order(inout Span span, out int gap) {
  if (span.low > span.high) exchange(span.low, span.high);
  gap = span.high - span.low;
}

Span widened(Span span, int by) {
  span.low -= by;
  span.high += by;
  return span;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  Span span = Span(pairs[i].x, pairs[i].y);
  int gap;
  order(span, gap);
  const Span wide = widened(span, gap / 2);
  // An element of a buffer as an argument is copied in and out.
  exchange(pairs[i].x, pairs[i].y);
  pairs[i] += ivec2(wide.low, wide.high);
  gaps[i] = gap;
}
