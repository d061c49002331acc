#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Part {
  uint offset;
  uint values[];
} parts[3];
layout(binding = 1) uniform Table { uvec4 rows[4]; } tables[2];
layout(binding = 2) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push {
  uint which;
  uint table;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = parts[push.which].values[i] * 1000u;
  for (uint part = 0u; part < 3u; ++part) sum += parts[part].values[i] + parts[part].offset;
  result[i] = sum ^ tables[push.table].rows[i % 4u].z;
}
