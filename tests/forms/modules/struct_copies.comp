#version 450
layout(local_size_x = 8) in;
struct Inner { uint a; vec2 b[2]; };
struct Outer { vec3 position; uint kind; Inner inners[2]; };
layout(std430, binding = 0) readonly buffer Source { Outer source[]; };
layout(std140, binding = 1) buffer Target { Outer target[]; };
layout(std430, binding = 2) buffer Last { Outer last; uint tail[]; };
layout(std140, binding = 3) uniform Fixed { Outer fixed_; };

Outer change(Outer value, uint by) {
  value.kind += by;
  value.inners[by & 1u].b[1].x += float(by);
  return value;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  target[i] = source[i];
  Outer value = change(source[i], i);
  value.inners[1] = fixed_.inners[0];
  target[i].inners = value.inners;
  target[i].inners[i & 1u].b = source[i].inners[1].b;
  if (i == 3u) last = value;
  tail[i] = target[i].kind + target[i].inners[1].a;
}
