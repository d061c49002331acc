#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Totals { uint totals[]; };
layout(binding = 1) buffer Values { uint values[]; };

shared uint offset;

void main() {
  if (gl_LocalInvocationIndex == 0u) {
    uint sum = 0u;
    for (uint group = 0u; group < gl_WorkGroupID.x; ++group) sum += totals[group];
    offset = sum;
  }
  barrier();
  values[gl_GlobalInvocationID.x] += offset;
}
