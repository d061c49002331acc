#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Plan { uvec2 steps[]; } plan;
layout(binding = 1) buffer Red { int values[]; } red;
layout(binding = 2) buffer Green { int values[]; } green;
layout(binding = 3) readonly buffer Blue { int values[]; } blue;

int load(uint which, uint i) {
  switch (which) {
    case 0u:
      return red.values[i];
    case 1u:
      return green.values[i];
    default:
      return blue.values[i];
  }
}

void store(uint which, uint i, int value) {
  if (which == 0u) {
    red.values[i] = value;
  } else {
    green.values[i] = value;
  }
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  for (uint k = 0u; k < plan.steps.length(); ++k) {
    const uvec2 chosen = plan.steps[k];
    store(chosen.y, i, load(chosen.x, i) * 2 - load(chosen.y, i));
  }
}
