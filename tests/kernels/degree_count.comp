#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Edges { uvec2 edges[]; };
layout(binding = 1) buffer Degrees { uvec2 degrees[]; };

void main() {
  if (gl_GlobalInvocationID.x >= edges.length()) return;
  const uvec2 edge = edges[gl_GlobalInvocationID.x];
  atomicAdd(degrees[edge.x].x, 1u);
  atomicAdd(degrees[edge.y].y, 1u);
}
