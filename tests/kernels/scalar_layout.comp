#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16) in;

struct Vertex {
  vec3 position;
  vec2 texture;
  uint id;
};
layout(binding = 0, scalar) buffer Vertices {
  float lift;
  Vertex vertices[];
};
layout(binding = 1, scalar) writeonly buffer Positions { vec3 positions[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  vertices[i].position.z += lift;
  vertices[i].id = vertices[i].id * 2u + uint(vertices[i].texture.x);
  positions[i] = vertices[i].position;
}
