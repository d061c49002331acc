#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint limit; };

uint find(uint what) {
  for (uint k = 0u; k < limit; ++k) {
    if (words[k] == what) return k;
    for (uint j = k; j < limit; ++j) {
      if (words[j] + words[k] == what) return 100u + j;
      if (words[j] > 90u) break;
    }
  }
  return 999u;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(result.length()) - 4u) return;
  result[i] = 1u;
  if ((words[i] & 7u) == 3u) return;
  uint sum = 0u;
  for (uint k = 0u; k < limit; ++k) {
    if (words[k] == i) {
      result[i] = 1000u + k;
      return;
    }
    sum += words[k];
    if (sum > 200u) {
      if ((i & 1u) == 0u) {
        result[i] = sum;
        return;
      }
      continue;
    }
    do {
      sum += 3u;
      if (sum % 50u == 0u) return;
    } while (sum % 7u != 0u);
  }
  result[i] = sum * 1000u + find(i * 5u);
}
