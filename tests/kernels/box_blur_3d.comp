#version 450
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uvec2 result[]; };
layout(push_constant) uniform Push { ivec3 extent; };

void main() {
  const ivec3 p = ivec3(gl_GlobalInvocationID);
  if (any(greaterThanEqual(p, extent))) return;
  uvec2 sum_and_count = uvec2(0u);
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const ivec3 q = p + ivec3(dx, dy, dz);
        if (any(lessThan(q, ivec3(0))) || any(greaterThanEqual(q, extent))) continue;
        sum_and_count += uvec2(source[(q.z * extent.y + q.y) * extent.x + q.x], 1u);
      }
    }
  }
  result[(p.z * extent.y + p.y) * extent.x + p.x] = sum_and_count;
}
