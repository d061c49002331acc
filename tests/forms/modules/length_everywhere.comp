#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Words { uint head[3]; uvec2 words[]; };
layout(binding = 1) buffer Result { uint result[]; };
layout(binding = 2) readonly buffer Empty { uint before; uvec4 rows[]; };

uint limit() { return uint(words.length()) - 1u; }

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = uint(rows.length()) + before;
  for (int k = words.length() - 1; k >= 0; --k) sum = sum * 3u + words[k].y;
  result[min(i, uint(result.length()) - 1u)] = sum + words[min(i, limit())].x;
}
