#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16) in;
layout(binding = 0, std430) uniform Settings {
  float weights[6];
  vec2 pairs[3];
};
layout(binding = 1) buffer Values { float values[]; };

// A uniform block whose arrays are as tight as those of storage blocks.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  values[i] += weights[i % 6u] + 4.0 * pairs[i % 3u].y;
}
