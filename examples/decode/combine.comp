#version 450
// The sum of two vectors, or their product component by component. The result may take the place of either.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 32) in;
layout(constant_id = 0) const bool kMultiply = false;
layout(binding = 0) readonly buffer Left { float left[]; };
layout(binding = 1) readonly buffer Right { float right[]; };
layout(binding = 2) writeonly buffer Outputs { float outputs[]; };
layout(push_constant) uniform Push {
  uint count;
} push;

void main() {
  BEGIN_KERNEL
  const uint i = gl_GlobalInvocationID.x;
  if (i >= push.count) return;
  outputs[i] = kMultiply ? left[i] * right[i] : left[i] + right[i];
}
