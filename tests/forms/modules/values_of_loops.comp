#version 450
layout(local_size_x = 8) in;
struct Item { uint kind; uvec3 steps; uint parts[2]; };
layout(binding = 0) buffer Part { uint head; uint values[]; } parts[2];
layout(std140, binding = 1) uniform Table { uvec4 rows[4]; mat2 turn; Item items[2]; } table;
layout(binding = 2) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint count; uvec2 rows[2]; } push;

uint kept = 0u;

uint row_of(uint k) {
  kept = table.rows[k & 3u].w;
  return table.rows[k & 3u].x;
}

// Each invocation leaves loops in another iteration than its neighbours, with what it loaded in that.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint trips = i * 5u % 8u;
  uint at = i * 8u;

  uint row = 0u;
  uvec2 param = uvec2(0u);
  uint k = 0u;
  do {
    row = table.rows[(push.count + k) & 3u].y;
    param = push.rows[(push.count + k) & 1u] + 1u;
    ++k;
  } while (k < 8u && k < trips);
  result[at++] = row;
  result[at++] = param.x ^ param.y;

  Item item;
  vec2 column;
  for (k = 0u; k < 8u; ++k) {
    if (k >= trips) {
      item = table.items[k & 1u];
      column = table.turn[k & 1u];
      break;
    }
    atomicAdd(parts[1].head, 1u);
  }
  result[at++] = item.kind + item.steps.y * 3u + item.parts[1] * 5u;
  result[at++] = floatBitsToUint(column.x + column.y);

  uint sum = 0u;
  uint last = 0u;
  for (k = 0u; k < 4u; ++k) {
    for (uint n = 0u; n < 4u; ++n) {
      last = row_of(k + n);
      if (n + k >= (trips & 3u)) break;
    }
    sum = sum * 7u + last;
    if (k >= (trips >> 1u)) break;
  }
  result[at++] = sum;
  result[at++] = last + kept;

  for (k = 0u; k < 8u; ++k) {
    atomicAdd(parts[push.count & 1u].values[i], 1u);
    if (k >= trips) break;
  }
  memoryBarrier();
  result[at++] = atomicAdd(parts[push.count & 1u].values[i], 1u);
  result[at++] = uint(parts[push.count & 1u].values.length());
}
