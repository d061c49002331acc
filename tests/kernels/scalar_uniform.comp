#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16) in;
layout(binding = 0, scalar) uniform Settings {
  float gain;
  float lift;
  vec3 bias;
  float weights[4];
};
layout(binding = 1, scalar) buffer Values { float values[]; };
layout(push_constant, scalar) uniform Params {
  uint first;
  vec3 shift;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < first) return;
  values[i] = values[i] * gain + lift + bias[i % 3u] + weights[i % 4u] + shift[i % 3u];
}
