#version 450
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { uint count; };
shared uint tile[8];

void main() {
  if (count == 0u) return;
  tile[gl_LocalInvocationIndex] = count;
}
