#version 450
// Moves every colour to the middle of its pixels, and begins new sums.
layout(local_size_x = 16) in;
layout(binding = 0) buffer Sums { uvec4 sums[]; };
layout(binding = 1) buffer Colours { vec4 colours[]; };

void main() {
  const uint k = gl_LocalInvocationID.x;
  const uvec4 sum = sums[k];
  if (sum.w > 0u) colours[k] = vec4(vec3(sum.rgb) / float(sum.w), float(sum.w));
  sums[k] = uvec4(0u);
}
