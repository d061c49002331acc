#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Words { uint words[]; };
shared First { uint a[8]; } first;
shared Second { uvec2 b[4]; } second;

void main() {
  first.a[gl_LocalInvocationIndex] = words[gl_GlobalInvocationID.x];
  barrier();
  words[gl_GlobalInvocationID.x] = second.b[gl_LocalInvocationIndex & 3u].y;
}
