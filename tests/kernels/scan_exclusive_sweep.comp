#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };

shared uint tree[128];

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint base = gl_WorkGroupID.x * 128u;
  tree[2u * lane] = source[base + 2u * lane];
  tree[2u * lane + 1u] = source[base + 2u * lane + 1u];

  uint reach = 1u;
  for (uint active_lanes = 64u; active_lanes > 0u; active_lanes >>= 1) {
    barrier();
    if (lane < active_lanes) tree[reach * (2u * lane + 2u) - 1u] += tree[reach * (2u * lane + 1u) - 1u];
    reach <<= 1;
  }
  barrier();
  if (lane == 0u) tree[127] = 0u;
  for (uint active_lanes = 1u; active_lanes < 128u; active_lanes <<= 1) {
    reach >>= 1;
    barrier();
    if (lane < active_lanes) {
      const uint left = reach * (2u * lane + 1u) - 1u;
      const uint right = reach * (2u * lane + 2u) - 1u;
      const uint carried = tree[left];
      tree[left] = tree[right];
      tree[right] += carried;
    }
  }
  barrier();
  result[base + 2u * lane] = tree[2u * lane];
  result[base + 2u * lane + 1u] = tree[2u * lane + 1u];
}
