// Weights in rows of blocks of 32, in one of three formats: FORMAT is 32, 16 or 8.
//
//   32  a float for each weight
//   16  a word for two halves
//   8   a float for the scale of the block, then four signed bytes in each of eight words
const uint kBlock = 32u;

#if FORMAT == 32
layout(binding = 0) readonly buffer Weights { vec4 weights[]; };

vec4 four_weights(uint block, uint four) { return weights[block * 8u + four]; }
float block_scale(uint block) { return 1.0; }
#elif FORMAT == 16
layout(binding = 0) readonly buffer Weights { uvec2 weights[]; };

vec4 four_weights(uint block, uint four) {
  const uvec2 packed = weights[block * 8u + four];
  return vec4(unpackHalf2x16(packed.x), unpackHalf2x16(packed.y));
}
float block_scale(uint block) { return 1.0; }
#elif FORMAT == 8
layout(binding = 0) readonly buffer Weights { uint weights[]; };

vec4 four_weights(uint block, uint four) {
  const int packed = int(weights[block * 9u + 1u + four]);
  return vec4(ivec4(packed << 24, packed << 16, packed << 8, packed) >> 24);
}
float block_scale(uint block) { return uintBitsToFloat(weights[block * 9u]); }
#endif
