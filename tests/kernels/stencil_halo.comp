#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) writeonly buffer Result { int result[]; };

const uint kRadius = 3u;
shared int tile[gl_WorkGroupSize.x + 2u * kRadius];

int at(int i) {
  return i < 0 || i >= source.length() ? 0 : source[i];
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const int first = int(gl_WorkGroupID.x * gl_WorkGroupSize.x) - int(kRadius);
  tile[lane] = at(first + int(lane));
  if (lane < 2u * kRadius) tile[lane + gl_WorkGroupSize.x] = at(first + int(lane + gl_WorkGroupSize.x));
  barrier();
  int sum = 0;
  for (uint offset = 0u; offset <= 2u * kRadius; ++offset) sum += int(offset + 1u) * tile[lane + offset];
  result[gl_GlobalInvocationID.x] = sum;
}
