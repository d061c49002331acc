#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Keys { int keys[]; };

const uint kRun = 12u;

void main() {
  const uint base = gl_GlobalInvocationID.x * kRun;
  int run[kRun];
  for (uint k = 0u; k < kRun; ++k) run[k] = keys[base + k];
  for (uint k = 1u; k < kRun; ++k) {
    const int key = run[k];
    uint hole = k;
    while (hole > 0u) {
      if (run[hole - 1u] <= key) break;
      run[hole] = run[hole - 1u];
      --hole;
    }
    run[hole] = key;
  }
  for (uint k = 0u; k < kRun; ++k) keys[base + k] = run[k];
}
