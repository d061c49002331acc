#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
struct Item { uint a; uvec2 b; uint c[3]; };
layout(binding = 1) readonly buffer View { Item view[]; };
layout(binding = 2) buffer Target { Item target[]; };
layout(binding = 3) writeonly buffer Result { Item result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const Item item = view[indices[i].x];
  result[i] = Item(item.a + 1u, item.b, uint[3](item.c[0], item.c[1], item.c[2] + 1u));
  target[indices[i].x] = Item(i, uvec2(i, 1u), uint[3](2u, 3u, i));
}
