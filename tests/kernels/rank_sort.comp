#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Sorted { uint sorted[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint count = uint(source.length());
  if (i >= count) return;
  const uint key = source[i];
  uint rank = 0u;
  for (uint k = 0u; k < count; ++k) {
    const uint other = source[k];
    if (other < key || (other == key && k < i)) ++rank;
  }
  sorted[rank] = key;
}
