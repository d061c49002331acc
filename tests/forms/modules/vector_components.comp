#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Source { uvec4 source[]; };
layout(binding = 1) buffer Target { uvec4 target[]; };
layout(binding = 2) buffer Triples { vec3 triples[]; };
layout(binding = 3) buffer Pairs { ivec2 pairs[]; };
layout(binding = 4) writeonly buffer Result { uint result[]; };

// A component is loaded from where its whole vector was stored just before: some drivers give the first instead.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  target[i] = source[i] * 3u + uvec4(i, i + 1u, i + 2u, i + 3u);
  triples[i] = vec3(float(i), float(i) + 0.25, float(i) - 8.5);
  pairs[i] = ivec2(int(i) - 7, 7 - int(i) * 2);
  uint sum = target[i].z * 5u;
  for (uint k = 0u; k < 4u; ++k) sum = sum * 31u + target[i][k ^ 1u];
  sum += uint(int(triples[i].y * 4.0)) + uint(int(triples[i].z * 2.0)) * 17u;
  for (uint k = 0u; k < 2u; ++k) sum = sum * 7u + uint(pairs[i][1u - k]);
  target[i].y = sum;
  target[i][i & 3u] ^= 0x5a5au;
  const uvec4 whole = target[i];
  result[i] = whole.x + whole.y * 3u + whole.z * 5u + whole.w * 7u;
}
