#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) buffer Totals {
  uint64_t sum;
  uint64_t highest;
};

void main() {
  const uint64_t v = uint64_t(source[gl_GlobalInvocationID.x]);
  atomicAdd(sum, v * v);
  atomicMax(highest, v << 16);
}
