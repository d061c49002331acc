#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Part { uint values[]; } parts[4];
layout(binding = 1) writeonly buffer Result { uint result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  result[i] = parts[nonuniformEXT(i & 3u)].values[i] + uint(parts[nonuniformEXT(i & 3u)].values.length());
}
