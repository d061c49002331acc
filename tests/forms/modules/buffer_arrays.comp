#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Part { uint head; uint values[]; } parts[3];
layout(set = 1, binding = 2) uniform Table { uvec4 rows[4]; } tables[2];
layout(set = 1, binding = 3) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint which; uint table; } push;

uint sum_of(uint part) {
  uint sum = 0u;
  for (uint k = 0u; k < uint(parts[part].values.length()); ++k) sum += parts[part].values[k];
  return sum;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = parts[push.which].values[i] * 3u + parts[2].values[i] + parts[0].head;
  for (uint part = 0u; part < 3u; ++part) sum = sum * 5u + parts[part].values[i] + uint(parts[part].values.length());
  sum += tables[push.table].rows[i & 3u].y + tables[1].rows[2][i & 3u];
  if (i == 0u) atomicAdd(parts[1].head, sum_of(push.table));
  parts[push.which].values[i] = sum;
  result[i] = sum;
}
