#version 450
layout(local_size_x = 16) in;
layout(binding = 1) writeonly buffer Result { uint result[]; };
layout(binding = 3) buffer Bits { uint bits[]; };
layout(binding = 3) buffer Floats { float floats[]; };
layout(binding = 3) buffer Headed { uvec4 head; ivec2 tail[]; };

// One buffer as words, as floats and as a header with pairs behind it: as many lengths.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint raw = bits[4u + i];
  const float value = floats[4u + i];
  atomicAdd(head.y, raw >> 24);
  const uint lengths = uint(bits.length()) + 1000u * uint(floats.length()) + 1000000u * uint(tail.length());
  result[i] = raw ^ uint(int(value * 8.0)) ^ lengths;
}
