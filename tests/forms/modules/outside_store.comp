#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) buffer View { uint view[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < uint(indices.length())) view[indices[i].x] = 1000u + i;
}
