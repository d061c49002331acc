#version 450
// One layer of a network for some of the digits: sums of weighted inputs, and nothing below zero unless it is the last.
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) readonly buffer Inputs { float inputs[]; };
layout(binding = 1) readonly buffer Weights { float weights[]; };
layout(binding = 2) readonly buffer Biases { float biases[]; };
layout(binding = 3) writeonly buffer Outputs { float outputs[]; };
layout(push_constant) uniform Push {
  uint first;         // Of the digits.
  uint input_count;   // For each of them.
  uint output_count;  // For each of them.
  float least;        // Of an output.
} push;

void main() {
  const uint to = gl_GlobalInvocationID.x;
  const uint digit = push.first + gl_GlobalInvocationID.y;
  if (to >= push.output_count) return;
  float sum = biases[to];
  for (uint from = 0u; from < push.input_count; ++from) {
    sum += inputs[digit * push.input_count + from] * weights[from * push.output_count + to];
  }
  outputs[digit * push.output_count + to] = max(sum, push.least);
}
