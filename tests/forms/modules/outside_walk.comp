#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) readonly buffer View { uint view[]; };
layout(binding = 2) buffer Target { uint target[]; };
layout(binding = 3) writeonly buffer Result { uint result[]; };

// Loops that go on behind the end and begin before the start.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  uint sum = 0u;
  for (int k = 0; k < 20; ++k) {
    sum = sum * 3u + view[indices[i].x + k * 3];
    if (i == 0u) target[indices[i].x + k * 3] = uint(k);
  }
  result[i] = sum;
}
