#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Bodies { vec4 bodies[]; };
layout(binding = 1) writeonly buffer Accelerations { vec3 accelerations[]; };

shared vec4 tile[32];

void main() {
  const vec3 position = bodies[gl_GlobalInvocationID.x].xyz;
  vec3 acceleration = vec3(0.0);
  for (uint first = 0u; first < bodies.length(); first += 32u) {
    tile[gl_LocalInvocationID.x] = bodies[first + gl_LocalInvocationID.x];
    barrier();
    for (uint k = 0u; k < 32u; ++k) {
      const vec3 offset = tile[k].xyz - position;
      const float softened = dot(offset, offset) + 0.0625;
      acceleration += offset * (tile[k].w / (softened * sqrt(softened)));
    }
    barrier();
  }
  accelerations[gl_GlobalInvocationID.x] = acceleration;
}
