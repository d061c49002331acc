#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Code { uint code[]; };
layout(binding = 1) buffer Registers { ivec2 registers[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  ivec2 r = registers[i];
  for (uint pc = 0u; pc < code.length(); ++pc) {
    switch ((code[pc] + i) % 7u) {
      case 0u:
        r.x += r.y;
        break;
      case 1u:
        r.y -= 3;
        // Falls through: a second case of the machine shares its end.
      case 2u:
        r.x ^= r.y;
        break;
      case 3u:
        r = r.yx;
        continue;
      case 5u:
        registers[i] = -r;
        return;
      default:
        r.x &= 0xffff;
        break;
    }
    r.y += 1;
  }
  registers[i] = r;
}
