#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) readonly buffer View { uvec4 view[]; };
layout(binding = 2) buffer Target { uvec4 target[]; };
layout(binding = 3) writeonly buffer Result { uvec4 result[]; };

// Of the last vector the views have a part.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  result[i] = view[indices[i].x] + uvec4(1u);
  target[indices[i].x] = uvec4(i, i + 1u, i + 2u, i + 3u);
}
