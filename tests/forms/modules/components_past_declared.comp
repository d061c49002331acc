#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16) in;
layout(binding = 0, scalar) buffer Triples { uvec3 triples[1]; };
layout(binding = 1, scalar) buffer Pairs { uint first; uvec2 pairs[1]; };
layout(binding = 2) buffer Quads { uvec4 quads[1]; };
layout(binding = 3) writeonly buffer Result { uint result[]; };

// A component is loaded, and its whole vector changed, beyond the end of a declared array: an end of the view may cut
// the vector, which is loaded component by component then, or whole where it lies at a multiple of its size.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = triples[i].z;
  triples[i] |= uvec3(5u, 6u, 7u);
  sum = sum * 31u + triples[i].y;
  triples[i] = triples[i].zxy + triples[i][i % 3u];
  sum = sum * 31u + triples[i].z;
  sum = sum * 31u + pairs[i].y;
  pairs[i] += uvec2(i, 3u);
  sum = sum * 31u + pairs[i].y;
  sum = sum * 31u + quads[i].w;
  quads[i] ^= uvec4(1u, 2u, 4u, i);
  sum = sum * 31u + quads[i].z;
  quads[i].y = quads[i].w;
  result[i] = sum + quads[i].y;
}
