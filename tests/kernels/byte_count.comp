#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Text { uint8_t text[]; };
layout(binding = 1) buffer Counts {
  uint newlines;
  uint others;
} counts;
layout(push_constant) uniform Push { uint count; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= push.count) return;
  if (uint(text[i]) == 10u) {
    atomicAdd(counts.newlines, 1u);
  } else {
    atomicAdd(counts.others, 1u);
  }
}
