#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Plain { uint plain[]; };
layout(binding = 1) readonly restrict buffer Source { uint source[]; };
layout(binding = 2) writeonly restrict buffer Sink { uint sink[]; };
layout(binding = 3) coherent buffer Shared { uint exchanged[]; };
layout(binding = 4) volatile buffer Noted { uint noted[]; };
layout(binding = 5) buffer Unused { uint unused[]; };
layout(binding = 6) buffer Members {
  readonly uint limit;
  writeonly uint last;
} members;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint neighbour = i ^ 1u;
  exchanged[i] = source[i] + plain[i];
  memoryBarrierBuffer();
  barrier();
  // The neighbour is of the same group, so its store is visible here.
  sink[i] = exchanged[neighbour];
  noted[i] += noted[neighbour + gl_NumWorkGroups.x * 32u];
  if (i == members.limit) members.last = i;
}
