#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) writeonly buffer Result { vec4 result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const float v = source[i];
  result[i] = vec4(sin(v), exp(-v), log(v + 1.0), pow(v + 0.5, 1.5));
}
