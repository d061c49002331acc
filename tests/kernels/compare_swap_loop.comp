#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) buffer Packed { uint packed_sums; };

// Two sums of 16 bits share a word; each saturates alone, which no single atomic does.
uint saturating_add(uint word, uint amount) {
  const uint low = min((word & 0xffffu) + (amount & 0xffffu), 0xffffu);
  const uint high = min((word >> 16) + (amount >> 16), 0xffffu);
  return high << 16 | low;
}

void main() {
  const uint amount = source[gl_GlobalInvocationID.x];
  uint seen = atomicAdd(packed_sums, 0u);
  for (;;) {
    const uint found = atomicCompSwap(packed_sums, seen, saturating_add(seen, amount));
    if (found == seen) break;
    seen = found;
  }
}
