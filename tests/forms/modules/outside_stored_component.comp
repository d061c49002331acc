#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) buffer View { uvec4 view[]; };
layout(binding = 2) writeonly buffer Result { uint result[]; };

// A component that is loaded where its vector was stored just before.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  view[i] = uvec4(i, 100u + i, 200u + i, 300u + i);
  result[i] = view[i][indices[i].y] + 1u;
}
