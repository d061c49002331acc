#version 450
// Divides a vector by its root mean square, and multiplies each component by a weight: one workgroup.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Inputs { float inputs[]; };
layout(binding = 1) readonly buffer Scales { float scales[]; };
layout(binding = 2) writeonly buffer Outputs { float outputs[]; };
layout(push_constant) uniform Push {
  uint count;
  uint vector;    // Which of the vectors of weights that stand one after another.
  float epsilon;  // Added to the mean square.
} push;
shared float parts[32];

void main() {
  BEGIN_KERNEL
  const uint local = gl_LocalInvocationID.x;
  float sum = 0.0;
  for (uint i = local; i < push.count; i += 32u) sum += inputs[i] * inputs[i];
  parts[local] = sum;
  barrier();
  for (uint half_size = 16u; half_size > 0u; half_size /= 2u) {
    if (local < half_size) parts[local] += parts[local + half_size];
    barrier();
  }
  const float scale = 1.0 / sqrt(parts[0] / float(push.count) + push.epsilon);
  for (uint i = local; i < push.count; i += 32u) {
    outputs[i] = inputs[i] * scale * scales[push.vector * push.count + i];
  }
}
