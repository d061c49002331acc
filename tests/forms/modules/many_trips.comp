#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint trips; };

// Few items fill what some drivers allow an invocation.
void main() {
  uint sum = gl_WorkGroupID.x;
  for (uint k = 0u; k < trips; ++k) sum = sum * 1664525u + 1013904223u;
  result[gl_WorkGroupID.x] = sum;
}
