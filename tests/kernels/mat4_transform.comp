#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Transforms { mat4 transforms[]; };
layout(binding = 1) readonly buffer Points { vec4 points[]; };
layout(binding = 2) writeonly buffer Result { vec4 result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const mat4 m = transforms[i % transforms.length()];
  result[i] = m * points[i] + points[i] * m;
}
