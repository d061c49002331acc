#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(binding = 1) readonly buffer View { uint64_t view[]; };
layout(binding = 2) buffer Target { double target[]; };
layout(binding = 3) writeonly buffer Result { uint64_t result[]; };

// Of the last number the views have half.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  result[i] = view[indices[i].x] + 1ul;
  target[indices[i].x] = double(i) + 0.5;
}
