#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Source { vec4 source[]; };
layout(binding = 1) writeonly buffer Result { float result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  precise float sum = source[i].x * source[i].y + source[i].z;
  mediump float rough = source[i].w * 2.0;
  result[i] = sum + rough + fma(sum, rough, source[i].x);
}
