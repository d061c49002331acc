#version 450
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Push {
  uint width;
  uint height;
};

// One column more than needed keeps a column of the tile in different banks.
shared uint tile[16][17];

void main() {
  const uvec2 local = gl_LocalInvocationID.xy;
  const uvec2 corner = gl_WorkGroupID.xy * 16u;
  for (uint row = 0u; row < 16u; row += 4u) {
    const uvec2 p = corner + local + uvec2(0u, row);
    if (p.x < width && p.y < height) tile[local.y + row][local.x] = source[p.y * width + p.x];
  }
  barrier();
  for (uint row = 0u; row < 16u; row += 4u) {
    const uvec2 p = corner.yx + local + uvec2(0u, row);
    if (p.x < height && p.y < width) result[p.y * height + p.x] = tile[local.x][local.y + row];
  }
}
