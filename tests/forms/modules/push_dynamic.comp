#version 450
layout(local_size_x = 8) in;
struct Range { uint begin; uint end; };
layout(binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Push {
  layout(offset = 8) uint table[4];
  Range ranges[2];
  vec2 points[2];
  layout(row_major) mat2 turn;
  uvec3 last;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = push.table[i & 3u] * 3u;
  const Range range = push.ranges[i & 1u];
  for (uint k = range.begin; k < range.end; ++k) sum = sum * 5u + push.table[k];
  sum += uint(push.points[(i >> 1u) & 1u][i & 1u]) * 7u;
  sum += uint(push.turn[i & 1u][(i >> 1u) & 1u]) * 11u;
  sum += push.last[i % 3u] * 13u;
  result[i] = sum;
}
