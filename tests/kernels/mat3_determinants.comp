#version 450
layout(local_size_x = 16) in;
layout(binding = 0) buffer Matrices { mat3 matrices[]; };
layout(binding = 1) writeonly buffer Determinants { float determinants[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const mat3 m = matrices[i];
  determinants[i] = dot(m[0], cross(m[1], m[2]));
  matrices[i] = transpose(m) * 2.0;
}
