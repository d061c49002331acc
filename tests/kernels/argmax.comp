#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) writeonly buffer Best { uint best[]; };

struct Candidate {
  int value;
  uint index;
};
shared Candidate candidates[64];

// The smaller index wins a tie, so that the result does not depend on the order of the tree.
Candidate better(Candidate a, Candidate b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.index < b.index ? a : b;
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint i = gl_GlobalInvocationID.x;
  candidates[lane] = Candidate(source[i], i);
  barrier();
  for (uint half_size = 32u; half_size != 0u; half_size /= 2u) {
    if (lane < half_size) candidates[lane] = better(candidates[lane], candidates[lane + half_size]);
    barrier();
  }
  if (lane == 0u) best[gl_WorkGroupID.x] = candidates[0].index;
}
