#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Blocks { uvec4 blocks[]; };
layout(binding = 1) writeonly buffer Checks { uint checks[]; };

// Four bits per step keep the table small enough to live in the program.
const uint kTable[16] = uint[](0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
                               0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                               0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu);

void main() {
  const uvec4 block = blocks[gl_GlobalInvocationID.x];
  uint crc = 0xffffffffu;
  for (int word = 0; word < 4; ++word) {
    crc ^= block[word];
    for (int nibble = 0; nibble < 8; ++nibble) crc = crc >> 4 ^ kTable[crc & 15u];
  }
  checks[gl_GlobalInvocationID.x] = ~crc;
}
