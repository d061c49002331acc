#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { dvec2 source[]; };
layout(binding = 1) writeonly buffer Result { double result[]; };
layout(binding = 2) writeonly buffer Narrow { float narrow[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const dvec2 v = source[i];
  const double r = (v.x * v.y + 1.0lf) * v.x - abs(v.y);
  result[i] = r;
  narrow[i] = float(v.x);
}
