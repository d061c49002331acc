#version 450
layout(local_size_x = 16, local_size_y = 2) in;
layout(binding = 0) readonly buffer Before { uint before[]; };
layout(binding = 1) writeonly buffer After { uint after[]; };
layout(push_constant) uniform Push { uvec2 extent; };

bool alive(uint x, uint y) {
  return before[(y % extent.y) * extent.x + x % extent.x] != 0u;
}

void main() {
  const uvec2 p = gl_GlobalInvocationID.xy;
  if (p.x >= extent.x || p.y >= extent.y) return;
  uint neighbours = 0u;
  for (uint k = 0u; k < 9u; ++k) {
    if (k == 4u) continue;
    if (alive(p.x + extent.x + k % 3u - 1u, p.y + extent.y + k / 3u - 1u)) ++neighbours;
  }
  const bool survives = neighbours == 3u || (neighbours == 2u && alive(p.x, p.y));
  after[p.y * extent.x + p.x] = survives ? 1u : 0u;
}
