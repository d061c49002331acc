#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const bool kNegate = false;
layout(constant_id = 1) const int kOffset = -5;
layout(constant_id = 2) const uint kMask = 0xffu;
layout(constant_id = 3) const float kScale = 1.5;
layout(constant_id = 7) const double kFine = 0.25lf;
layout(binding = 0) readonly buffer Source { int source[]; };
layout(binding = 1) writeonly buffer Whole { ivec2 whole[]; };
layout(binding = 2) writeonly buffer Real { float real[]; };
layout(binding = 3) writeonly buffer Fine { double fine[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const int v = source[i];
  whole[i] = ivec2((kNegate ? -v : v) + kOffset, int(uint(v) & kMask));
  real[i] = float(v) * kScale;
  fine[i] = double(v) * kFine;
}
