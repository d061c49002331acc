#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kRounds = 10u;
layout(constant_id = 2) const int kMode = 1;
layout(binding = 0) buffer Values { uint values[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint v = values[i];
  for (uint round = 0u; round < kRounds; ++round) {
    switch (kMode) {
      case 0:
        v = v * 3u + round;
        break;
      case 1:
        v = v ^ (v << 7) ^ round;
        break;
      default:
        v = ~v;
        break;
    }
  }
  values[i] = v;
}
