#version 450
// Changes the speed of every body by what all the others pull.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Bodies { vec4 bodies[]; };  // Where, and the mass.
layout(binding = 1) buffer Speeds { vec4 speeds[]; };
layout(push_constant) uniform Push {
  float time;
  float softening;
} push;

shared vec4 tile[64];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const vec3 here = bodies[i].xyz;
  vec3 pull = vec3(0.0);
  for (uint first = 0u; first < bodies.length(); first += 64u) {
    tile[gl_LocalInvocationID.x] = bodies[first + gl_LocalInvocationID.x];
    barrier();
    for (uint k = 0u; k < 64u; ++k) {
      const vec3 way = tile[k].xyz - here;
      const float softened = dot(way, way) + push.softening * push.softening;
      pull += way * (tile[k].w / (softened * sqrt(softened)));
    }
    barrier();
  }
  speeds[i].xyz += push.time * pull;
}
