#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) buffer Total {
  uint total;
  uint groups_done;
};

shared uint group_total;

void main() {
  if (gl_LocalInvocationIndex == 0u) group_total = 0u;
  barrier();
  atomicAdd(group_total, source[gl_GlobalInvocationID.x]);
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    atomicAdd(total, group_total);
    atomicAdd(groups_done, 1u);
  }
}
