#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8) in;
struct Item { uint kind; vec3 position; uvec2 pair; };
layout(scalar, binding = 0) buffer Items { uint head; vec3 origin; Item items[]; };
layout(scalar, binding = 1) uniform Table { float weights[3]; vec3 axis; mat3 turn; };
layout(scalar, binding = 2) buffer Result { vec3 result[]; };
layout(scalar, push_constant) uniform Push { uint first; vec3 shift; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  Item item = items[i];
  result[i] = turn * item.position + shift + axis * weights[i % 3u] + origin;
  item.pair.x += first + head;
  items[i] = item;
  result[i].y += items[i].position.z;
}
