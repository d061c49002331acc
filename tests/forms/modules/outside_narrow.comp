#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer Indices { ivec2 indices[]; };
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(binding = 1) readonly buffer Bytes { uint8_t bytes[]; };
layout(binding = 2) buffer Shorts { uint16_t shorts[]; };
layout(binding = 3) buffer Quads { u8vec4 quads[]; };
layout(binding = 4) writeonly buffer Result { uint result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= uint(indices.length())) return;
  const int at = indices[i].x;
  result[i] = uint(bytes[at]) + 1u + uint(quads[at].z) * 1000u;
  shorts[at] = uint16_t(1000u + i);
}
