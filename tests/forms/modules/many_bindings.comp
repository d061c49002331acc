#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 7) readonly buffer B { uint b[]; };
layout(set = 0, binding = 3) uniform C { uvec4 c; };
layout(set = 2, binding = 1) readonly buffer D { uint d[]; };
layout(set = 2, binding = 0) buffer E { uint e[]; };
layout(set = 3, binding = 9) readonly buffer F { uint f[]; } fs[2];
layout(set = 1, binding = 4) readonly buffer G { uint g[]; };
layout(set = 1, binding = 5) readonly buffer Unused { uint unused[]; };
layout(set = 3, binding = 2) readonly buffer LengthOnly { uint length_only[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  e[i] += a[i] + b[i] * 3u + c[i & 3u] * 5u + d[i] * 7u + fs[0].f[i] * 11u + fs[1].f[i] * 13u + g[i] * 17u;
  e[i] ^= uint(length_only.length());
}
