#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) readonly buffer Points { vec2 points[]; };
layout(binding = 1) buffer Cells { uint cells[8][4]; } grid;
layout(push_constant) uniform Push { uint width; } push;

void main() {
  const uint i = gl_GlobalInvocationID.y * push.width + gl_GlobalInvocationID.x;
  const uvec2 cell = uvec2(points[i]);
  atomicAdd(grid.cells[cell.x][cell.y], 1u);
}
