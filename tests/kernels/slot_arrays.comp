#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Words { uint words[]; } as_words[2];
layout(binding = 0) readonly buffer Quads { uint skipped; uvec4 quads[]; } as_quads[3];
layout(binding = 1) writeonly buffer Result { uint result[]; };

// Two arrays of buffers at one slot, of which one is longer.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint word = as_words[1].words[i] + uint(as_words[0].words.length());
  result[i] = word ^ (as_quads[2].quads[i / 4u].z + uint(as_quads[0].quads.length()));
}
