#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Text { uint text[]; };
layout(binding = 1) buffer Bins { uint bins[]; };

void main() {
  uint word = text[gl_GlobalInvocationID.x];
  for (int k = 3; k >= 0; --k) {
    atomicAdd(bins[word & 0xffu], 1u);
    word >>= 8;
  }
}
