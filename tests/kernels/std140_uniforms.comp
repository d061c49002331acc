#version 450
layout(local_size_x = 32) in;

struct Range {
  uint first;
  vec2 scale;
};
layout(binding = 0, std140) uniform Settings {
  float weights[3];
  vec3 bias;
  float gain;
  mat3 turn;
  Range range;
  int offset;
} settings;
layout(binding = 1, std140) buffer Values { float values[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < settings.range.first) return;
  const vec3 v = settings.turn * vec3(values[i], settings.range.scale) + settings.bias;
  values[i] = (v.x + v.y * settings.weights[i % 3u] + v.z) * settings.gain + float(settings.offset);
}
