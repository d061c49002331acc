#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) readonly buffer View { uvec4 view[]; };
layout(binding = 2) buffer Target { uvec4 target[]; };
layout(binding = 3) buffer Triples { uvec3 triples[]; };
layout(binding = 4) writeonly buffer Result { uint result[]; };

// Component 4 of one vector is where the next one begins, component 3 of three is padding.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const ivec2 at = indices[i];
  result[i] = view[at.x][at.y] + 1u;
  target[at.x][at.y] = 1000u + i;
  triples[at.x][at.y] = 2000u + i;
}
