#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 0) readonly buffer Quads { uvec4 quads[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint word = words[4u * (i ^ 1u)];
  const uvec4 quad = quads[i];
  result[i] = word + (quad.x ^ quad.y ^ quad.z ^ quad.w) + uint(quads.length());
}
