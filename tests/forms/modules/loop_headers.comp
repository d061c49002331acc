#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Words { uint limit; uint step_; uint words[]; };
layout(binding = 1) buffer Result { uint counts[8]; uint result[]; };

// Conditions and steps that are read from buffers.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint at = i;
  uint trips = 0u;
  while (words[at] > i && trips < 20u) {
    at = words[at] % uint(words.length());
    ++trips;
  }
  for (uint k = 0u; k < limit; k += step_) {
    if ((words[k] & 1u) == 0u) continue;
    counts[i] += words[k];
  }
  uint low = 0u;
  do {
    low += 1u + (words[low] & 1u);
    if (low == 6u) continue;
    trips += words[low];
  } while (words[low] + low < 60u && low < limit);
  result[i] = at * 10000u + trips * 10u + low + counts[i];
}
