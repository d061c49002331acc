#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint size; } push;

const uint kTile = 8u;
shared float tile_a[kTile][kTile];
shared float tile_b[kTile][kTile];

void main() {
  const uvec2 local = gl_LocalInvocationID.xy;
  const uvec2 global = gl_GlobalInvocationID.xy;
  float sum = 0.0;
  for (uint first = 0u; first < push.size; first += kTile) {
    tile_a[local.y][local.x] = a[global.y * push.size + first + local.x];
    tile_b[local.y][local.x] = b[(first + local.y) * push.size + global.x];
    barrier();
    for (uint k = 0u; k < kTile; ++k) sum += tile_a[local.y][k] * tile_b[k][local.x];
    barrier();
  }
  c[global.y * push.size + global.x] = sum;
}
