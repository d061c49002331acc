#version 450
// Moves every body with its speed.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Bodies { vec4 bodies[]; };
layout(binding = 1) readonly buffer Speeds { vec4 speeds[]; };
layout(push_constant) uniform Push { float time; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  bodies[i].xyz += push.time * speeds[i].xyz;
}
