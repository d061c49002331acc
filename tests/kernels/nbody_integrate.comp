#version 450
layout(local_size_x = 16) in;

struct Body {
  vec3 position;
  float mass;
  vec3 velocity;
};
layout(binding = 0, std430) buffer Bodies { Body bodies[]; };
layout(binding = 1, std430) readonly buffer Forces { vec3 forces[]; };
layout(push_constant) uniform Push {
  float step_size;
  uint count;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= push.count) return;
  bodies[i].velocity += forces[i] * (push.step_size * bodies[i].mass);
  bodies[i].position += bodies[i].velocity * push.step_size;
}
