#version 450
layout(local_size_x = 12) in;
layout(binding = 0) readonly buffer Cubes { uint cells[][4][3]; } cubes;
layout(binding = 1) writeonly buffer Turned { uint cells[][3][4]; } turned;

void main() {
  const uint cube = gl_WorkGroupID.x;
  const uint row = gl_LocalInvocationID.x / 3u;
  const uint column = gl_LocalInvocationID.x % 3u;
  const uint rows[4][3] = cubes.cells[cube];
  turned.cells[cube][column][row] = rows[row][column] + rows[3u - row][2u - column];
}
