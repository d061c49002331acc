#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) buffer Counter { uint kept; };
layout(binding = 2) writeonly buffer Kept { uint values[]; } survivors;
layout(push_constant) uniform Push { uint threshold; };

void main() {
  const uint value = source[gl_GlobalInvocationID.x];
  if (value >= threshold) survivors.values[atomicAdd(kept, 1u)] = value;
}
