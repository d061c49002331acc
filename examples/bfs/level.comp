#version 450
// One level of a breadth-first search: who is reached from this level's vertices for the first time is the next level.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer FirstEdge { uint first_edge[]; };
layout(binding = 1) readonly buffer Targets { uint targets[]; };
layout(binding = 2) buffer Levels { uint levels[]; };
layout(binding = 3) buffer Counts { uint counts[]; };
layout(binding = 4) readonly buffer Frontier { uint frontier[]; };
layout(binding = 5) writeonly buffer Next { uint next[]; };
layout(push_constant) uniform Push { uint level; } push;

const uint kUnseen = 0xffffffffu;

void main() {
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < counts[push.level]; i += step) {
    const uint vertex = frontier[i];
    for (uint edge = first_edge[vertex]; edge < first_edge[vertex + 1u]; ++edge) {
      const uint target = targets[edge];
      if (atomicCompSwap(levels[target], kUnseen, push.level + 1u) == kUnseen) {
        next[atomicAdd(counts[push.level + 1u], 1u)] = target;
      }
    }
  }
}
