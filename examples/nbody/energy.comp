#version 450
// The energy of every body: of its motion, and its half of what binds it to each of the others.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Bodies { vec4 bodies[]; };
layout(binding = 1) readonly buffer Speeds { vec4 speeds[]; };
layout(binding = 2) writeonly buffer Energies { float energies[]; };
layout(push_constant) uniform Push { float softening; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const vec4 body = bodies[i];
  float bound = 0.0;
  for (uint k = 0u; k < bodies.length(); ++k) {
    const vec3 way = bodies[k].xyz - body.xyz;
    if (k != i) bound += bodies[k].w * inversesqrt(dot(way, way) + push.softening * push.softening);
  }
  energies[i] = 0.5 * body.w * (dot(speeds[i].xyz, speeds[i].xyz) - bound);
}
