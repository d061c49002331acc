#version 450
layout(local_size_x = 8) in;
layout(binding = 0) coherent buffer Coherent { uint shared_words[]; };
layout(binding = 1) volatile buffer Volatile { uint volatile_words[]; };
layout(binding = 2) buffer Mixed { volatile uint head; coherent uvec4 middle; readonly uint limit; uint tail[]; };
layout(binding = 3) restrict readonly buffer Source { uint source[]; };
layout(binding = 4) writeonly restrict buffer Result { uint result[]; };
layout(binding = 5) coherent volatile buffer Part { uint values[]; } parts[2];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  shared_words[i] += source[i];
  memoryBarrierBuffer();
  volatile_words[i] = shared_words[i] * 3u;
  uint sum = volatile_words[i] + head + limit;
  if (i == 0u) middle = uvec4(head, limit, 3u, 4u) + middle;
  parts[1].values[i] = parts[0].values[i] + sum;
  tail[i] = sum + parts[1].values[i];
  result[i] = tail[i] ^ sum;
}
