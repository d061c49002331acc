#version 450
// Vectors of an even number of words, at multiples of their size and not, whole and by component.
layout(local_size_x = 8) in;
struct Item { vec2 at; uvec4 words; vec3 direction; float weight; ivec2 cell; };
layout(std430, binding = 0) buffer Items { uvec2 head; Item items[]; };
layout(std140, binding = 1) uniform Table { vec4 rows[4]; mat4x2 turn; layout(row_major) mat2x4 skew; } table;
layout(std430, binding = 2) buffer Result { uvec4 mixed[8]; vec2 ends[]; } result;
layout(std430, binding = 3) coherent buffer Shared { uvec2 pairs[]; };

void swap(inout uvec4 a, inout uvec2 b) {
  const uvec2 kept = a.zw;
  a.zw = b;
  b = kept.yx;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  Item item = items[i];
  item.words.y = items[i].words.z + floatBitsToUint(items[i].at.y);
  items[i].at = item.at.yx + table.rows[i & 3u].xw;
  items[i].at.x *= 0.5;
  items[i].words = item.words.wzyx;
  items[i].words[i & 3u] ^= 0x5au;
  const uvec4 again = items[i].words;
  result.mixed[i & 7u] = again + items[i].words.yyww;
  const vec2 column = table.turn[i & 3u];
  const vec4 skewed = table.skew[i & 1u];
  result.ends[i] = column + skewed.yz * items[i].weight + vec2(items[i].direction.z, items[i].at.y);
  result.ends[i].y += result.ends[i].x;
  uvec2 own = pairs[i];
  swap(result.mixed[i & 7u], own);
  pairs[i] = own + uvec2(items[i].cell);
  if (i == 3u) head = head.yx + uvec2(result.mixed[3].x, 7u);
}
