#version 450
layout(local_size_x = 16) in;

struct Item {
  vec3 place;
  uint id;
  mat2 turn;
  float samples[3];
};
layout(binding = 0, std140) uniform Defaults { Item defaults[2]; };
layout(binding = 1, std430) readonly buffer Source { Item source[]; };
layout(binding = 2, std430) buffer Target { Item target[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i % 3u == 0u) {
    target[i] = defaults[i & 1u];
  } else {
    target[i] = source[source.length() - 1 - i];
  }
}
