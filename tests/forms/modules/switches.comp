#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };

uint name_of(uint kind, uint i) {
  switch (kind) {
    case 0u: return words[i] + 1u;
    case 1u:
    case 2u: return words[i ^ 1u];
    default: break;
  }
  return 77u;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = 0u;
  for (uint k = 0u; k < 6u; ++k) {
    switch (words[(i + k) & 15u] % 7u) {
      case 0u: sum += words[k];
      case 1u: sum = sum * 3u + 1u; break;
      default: sum ^= 0x55u;
      case 5u: sum += words[i];
      case 6u:
        if (sum > 5000u) break;
        sum += 6u;
        break;
      case 3u: continue;
      case 4u:
        for (uint j = 0u; j < 3u; ++j) {
          if (words[j] == 4u) break;
          sum += j;
        }
        if (k == 5u) {
          result[i] = sum;
          return;
        }
    }
    sum += name_of(k % 4u, i);
  }
  result[i] = sum;
}
