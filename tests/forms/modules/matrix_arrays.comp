#version 450
layout(local_size_x = 4) in;
layout(push_constant) uniform Push { mat2 params[2]; };
layout(binding = 0, std430) readonly buffer Source { mat2 source[2]; mat3 wide[2]; };
layout(binding = 1) writeonly buffer Result { float result[]; };

// Arrays of matrices are copied as one value, from params and from a buffer, and read by an index that is no constant.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  mat2 a[2] = params;
  mat2 b[2] = source;
  mat3 c[2] = wide;
  result[3 * i] = a[i % 2u][i / 2u].y;
  result[3 * i + 1u] = b[i % 2u][i / 2u].y;
  result[3 * i + 2u] = c[i % 2u][i / 2u].z;
}
