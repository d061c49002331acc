#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) writeonly buffer Result { int result[]; };
layout(push_constant) uniform Push {
  int width;
  int height;
};

void main() {
  const ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  if (p.x >= width || p.y >= height) return;
  const int i = p.y * width + p.x;
  if (p.x == 0 || p.y == 0 || p.x == width - 1 || p.y == height - 1) {
    result[i] = source[i];
    return;
  }
  result[i] = source[i - 1] + source[i + 1] + source[i - width] + source[i + width] - 4 * source[i];
}
