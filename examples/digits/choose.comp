#version 450
// The digit that got the largest output, and how often that is the right one.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Outputs { float outputs[]; };
layout(binding = 1) readonly buffer Truths { uint truths[]; };
layout(binding = 2) writeonly buffer Chosen { uint chosen[]; };
layout(binding = 3) buffer Right { uint right; };

void main() {
  const uint digit = gl_GlobalInvocationID.x;
  if (digit >= chosen.length()) return;
  uint best = 0u;
  for (uint k = 1u; k < 10u; ++k) {
    if (outputs[digit * 10u + k] > outputs[digit * 10u + best]) best = k;
  }
  chosen[digit] = best;
  if (best == truths[digit]) atomicAdd(right, 1u);
}
