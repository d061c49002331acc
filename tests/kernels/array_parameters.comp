#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Values { uint values[][8]; };

uint[8] reversed(uint taken[8]) {
  for (uint k = 0u; k < 4u; ++k) {
    const uint kept = taken[k];
    taken[k] = taken[7u - k];
    taken[7u - k] = kept;
  }
  return taken;
}

uint weighted(const uint taken[8], uint from) {
  uint sum = 0u;
  for (uint k = from; k < 8u; ++k) sum += taken[k] * (k + 1u);
  return sum;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint mine[8] = values[i];
  const uint backwards[8] = reversed(mine);
  mine[i % 8u] = weighted(backwards, i % 3u);
  mine[7] ^= weighted(mine, 0u);
  values[i] = mine;
}
