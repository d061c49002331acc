#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint table[32]; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  values[i] = push.table[values[i] % 32u] + push.table[31];
}
