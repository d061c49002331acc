#version 450
// The activation x / (1 + exp(-x)). The result may take the place of the inputs.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Inputs { float inputs[]; };
layout(binding = 1) writeonly buffer Outputs { float outputs[]; };
layout(push_constant) uniform Push {
  uint count;
} push;

void main() {
  BEGIN_KERNEL
  const uint i = gl_GlobalInvocationID.x;
  if (i >= push.count) return;
  outputs[i] = inputs[i] / (1.0 + exp(-inputs[i]));
}
