#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) buffer View { uvec4 header; uint view[]; };
layout(binding = 2) writeonly buffer Result { uint result[]; };
layout(binding = 3) buffer Target { uvec4 target_header; uint target[]; };

// A negative index is in the header, which is inside the view and outside the array.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  result[i] = view[indices[i].x] + 1u;
  target[indices[i].x] = 1000u + i;
}
