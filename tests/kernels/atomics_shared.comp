#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uvec4 result[]; };

shared uint lowest;
shared uint highest;
shared uint claimed;
shared int balance;

void main() {
  if (gl_LocalInvocationIndex == 0u) {
    lowest = 0xffffffffu;
    highest = 0u;
    claimed = 0u;
    balance = 0;
  }
  barrier();
  const uint v = source[gl_GlobalInvocationID.x];
  atomicMin(lowest, v);
  atomicMax(highest, v);
  atomicAdd(balance, (v & 1u) == 0u ? 1 : -1);
  // Only one of the group finds the claim free.
  if (atomicExchange(claimed, 5u) == 0u) atomicAdd(balance, 1000);
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    result[gl_WorkGroupID.x] = uvec4(lowest, highest, atomicCompSwap(claimed, 5u, 6u), uint(balance));
  }
}
