#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint rounds; };
shared uint tile[2][16];
shared uint carried;

// The last round reads what another item's first round would overwrite without a barrier between items.
void main() {
  const uint local = gl_LocalInvocationIndex;
  const uint i = gl_GlobalInvocationID.x;
  tile[0][local] = words[i];
  if (local == 0u) carried = words[gl_WorkGroupID.x];
  barrier();
  uint from = 0u;
  for (uint round = 0u; round < rounds; ++round) {
    tile[1u - from][local] = tile[from][local] + tile[from][(local + (1u << round)) & 15u] * 3u;
    from = 1u - from;
    barrier();
  }
  result[i] = tile[from][15u - local] + carried;
}
