#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) readonly buffer View { uint view[]; };
layout(binding = 2) writeonly buffer Result { uint result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < uint(indices.length())) result[i] = view[indices[i].x] + 1u;
}
