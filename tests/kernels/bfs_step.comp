#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Offsets { uint offsets[]; };
layout(binding = 1) readonly buffer Targets { uint targets[]; };
layout(binding = 2) buffer Levels { uint levels[]; };
layout(binding = 3) buffer Frontier { uint reached; } frontier;
layout(push_constant) uniform Push {
  uint vertices;
  uint level;
} push;

const uint kUnseen = 0xffffffffu;

void main() {
  const uint vertex = gl_GlobalInvocationID.x;
  if (vertex >= push.vertices) return;
  if (levels[vertex] != push.level) return;
  for (uint edge = offsets[vertex]; edge < offsets[vertex + 1u]; ++edge) {
    if (atomicCompSwap(levels[targets[edge]], kUnseen, push.level + 1u) == kUnseen) atomicAdd(frontier.reached, 1u);
  }
}
