#version 450
layout(local_size_x = 8) in;
layout(binding = 0) coherent buffer Cells { uint largest; uint total; uint counts[4]; };
layout(binding = 1) buffer Result { uint result[]; };

// Loops that end whatever the others do.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint seen = largest;
  while (seen < i * 3u) {
    const uint before = atomicCompSwap(largest, seen, i * 3u);
    if (before == seen) break;
    seen = before;
  }
  uint expected = total;
  uint before;
  bool done = false;
  do {
    before = atomicCompSwap(total, expected, floatBitsToUint(uintBitsToFloat(expected) + float(i)));
    done = before == expected;
    expected = before;
  } while (!done);
  for (;;) {
    const uint old = counts[i & 3u];
    if (atomicCompSwap(counts[i & 3u], old, old + i) == old) break;
  }
  result[i] = i + 1u;
}
