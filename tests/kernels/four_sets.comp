#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 1) readonly buffer Near { int values[]; } near;
layout(set = 1, binding = 0) uniform Factors { ivec2 factors; };
layout(set = 1, binding = 1) readonly buffer Far { int values[]; } far;
layout(set = 2, binding = 3) writeonly buffer Out { int values[]; } result;
layout(set = 3, binding = 0) buffer Count { uint positive; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const int v = near.values[i] * factors.x + far.values[i] * factors.y;
  result.values[i] = v;
  if (v > 0) atomicAdd(positive, 1u);
}
