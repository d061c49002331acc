#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Part { uint values[]; } parts[4];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  parts[3].values[i] = parts[0].values[i] + parts[1].values[i] * parts[2].values[i];
}
