#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) buffer Result { uint result[]; };

// Each line needs the one before it, and the way out the last.
void main() {
  uint h = gl_GlobalInvocationID.x;
  for (uint k = 0u; k < 9u; ++k) {
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 0u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 1u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 2u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 3u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 4u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 5u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 6u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 7u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 8u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 9u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 10u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 11u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 12u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 13u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 14u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 15u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 16u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 17u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 18u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 19u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 20u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 21u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 22u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 23u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 24u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 25u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 26u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 27u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 28u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 29u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 30u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 31u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 32u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 33u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 34u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 35u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 36u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 37u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 38u;
    h = (h ^ source[(h >> 3u) % 64u]) * 0x9e3779b1u + 39u;
    if (h % 5u == 0u) break;
  }
  result[gl_GlobalInvocationID.x] = h;
}
