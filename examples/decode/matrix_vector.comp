#version 450
// A matrix times a vector: an invocation for each row.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "weights.glsl"
layout(local_size_x = 32) in;
layout(binding = 1) readonly buffer Inputs { vec4 inputs[]; };
layout(binding = 2) writeonly buffer Outputs { float outputs[]; };
layout(push_constant) uniform Push {
  uint rows;
  uint blocks;  // Of a row.
  uint matrix;  // Which of the matrices of this size that stand one after another.
} push;

void main() {
  BEGIN_KERNEL
  const uint row = gl_GlobalInvocationID.x;
  if (row >= push.rows) return;
  const uint first = (push.matrix * push.rows + row) * push.blocks;
  float sum = 0.0;
  for (uint block = 0u; block < push.blocks; ++block) {
    float part = 0.0;
    for (uint four = 0u; four < 8u; ++four) {
      part += dot(four_weights(first + block, four), inputs[block * 8u + four]);
    }
    sum += block_scale(first + block) * part;
  }
  outputs[row] = sum;
}
