#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) buffer Words { uint words[]; };
layout(binding = 1) buffer Quads { uvec4 quads[]; };
layout(binding = 2) writeonly buffer Result { uvec2 result[]; };

// One view in two ways, so that the same index is inside here and outside there.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  result[i] = uvec2(words[indices[i].x] + 1u, quads[indices[i].x].w + 1u);
}
