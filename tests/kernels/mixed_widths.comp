#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16) in;

struct Record {
  uint8_t kind;
  uint16_t weight;
  uint count;
  uint64_t total;
  float scale;
};
layout(binding = 0, std430) buffer Records { Record records[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint kind = uint(records[i].kind);
  const uint weight = uint(records[i].weight);
  records[i].total += uint64_t(weight) * uint64_t(records[i].count);
  records[i].scale *= float(kind);
  records[i].kind = uint8_t(kind ^ 1u);
  records[i].weight = uint16_t(weight / 2u);
}
