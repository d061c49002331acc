#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer B0 { uint v[]; } b0;
layout(binding = 1) readonly buffer B1 { uint v[]; } b1;
layout(binding = 2) readonly buffer B2 { uint v[]; } b2;
layout(binding = 3) readonly buffer B3 { uint v[]; } b3;
layout(binding = 4) readonly buffer B4 { uint v[]; } b4;
layout(binding = 5) readonly buffer B5 { uint v[]; } b5;
layout(binding = 6) readonly buffer B6 { uint v[]; } b6;
layout(binding = 7) readonly buffer B7 { uint v[]; } b7;
layout(binding = 9) readonly buffer B8 { uint v[]; } b8;
layout(binding = 10) readonly buffer B9 { uint v[]; } b9;
layout(binding = 11) readonly buffer B10 { uint v[]; } b10;
layout(binding = 12) readonly buffer B11 { uint v[]; } b11;
layout(binding = 13) readonly buffer B12 { uint v[]; } b12;
layout(binding = 14) readonly buffer B13 { uint v[]; } b13;
layout(binding = 20) buffer B14 { uint v[]; } b14;
layout(binding = 21) writeonly buffer B15 { uint v[]; } b15;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint low = b0.v[i] + 2u * b1.v[i] + 3u * b2.v[i] + 4u * b3.v[i] + 5u * b4.v[i] + 6u * b5.v[i] + 7u * b6.v[i];
  const uint high = 8u * b7.v[i] + 9u * b8.v[i] + 10u * b9.v[i] + 11u * b10.v[i] + 12u * b11.v[i] + 13u * b12.v[i];
  b14.v[i] ^= low;
  b15.v[i] = low + high + 14u * b13.v[i];
}
