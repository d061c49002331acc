#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
layout(binding = 1) readonly buffer View { uint values[]; } views[3];
layout(binding = 2) buffer Target { uint values[]; } targets[3];
layout(binding = 3) uniform Table { uvec4 rows[2]; } tables[2];
layout(binding = 4) writeonly buffer Result { uvec2 result[]; };

// One invocation, so that the buffer is the same for all of them.
void main() {
  for (uint i = 0u; i < uint(indices.length()); ++i) {
    const ivec2 at = indices[i];
    result[i] = uvec2(views[at.x].values[at.y] + 1u, tables[at.x].rows[at.y].z + 1u);
    targets[at.x].values[at.y] = 1000u + i;
  }
}
