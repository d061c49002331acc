#version 450
layout(local_size_x = 64) in;

struct Edge {
  uint from;
  uint to;
  uint weight;
};
layout(binding = 0) readonly buffer Edges { Edge edges[]; };
layout(binding = 1) readonly buffer Before { uint before[]; };
layout(binding = 2) buffer After { uint after[]; };

void main() {
  if (gl_GlobalInvocationID.x >= edges.length()) return;
  const Edge edge = edges[gl_GlobalInvocationID.x];
  const uint reached = before[edge.from];
  if (reached != 0xffffffffu) atomicMin(after[edge.to], reached + edge.weight);
}
