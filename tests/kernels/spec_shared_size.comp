#version 450
layout(local_size_x = 32) in;
layout(constant_id = 4) const uint kRadius = 2u;
const uint kWindow = 2u * kRadius + 1u;
const uint kTile = 31u + kWindow;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };

shared uint tile[kTile];

void main() {
  const uint first = gl_WorkGroupID.x * 32u;
  for (uint k = gl_LocalInvocationID.x; k < kTile; k += 32u) tile[k] = source[first + k];
  barrier();
  uint sum = 0u;
  for (uint k = 0u; k < kWindow; ++k) sum += tile[gl_LocalInvocationID.x + k];
  result[gl_GlobalInvocationID.x] = sum;
}
