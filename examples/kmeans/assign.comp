#version 450
// Gives every pixel to the nearest colour, and adds it up there: in the workgroup first, then for all.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Pixels { uint pixels[]; };
layout(binding = 1) readonly buffer Colours { vec4 colours[]; };
layout(binding = 2) buffer Labels { uint labels[]; };
layout(binding = 3) buffer Sums { uvec4 sums[]; };
layout(binding = 4) buffer Moved { uint moved; };
layout(push_constant) uniform Push { uint count; } push;

const uint kColours = 16u;
// Two sums to a word: those of 128 pixels need 15 bits.
shared uint part[kColours * 2u];
shared uint part_moved;

void main() {
  const uint local = gl_LocalInvocationID.x;
  if (local < kColours * 2u) part[local] = 0u;
  if (local == 0u) part_moved = 0u;
  barrier();
  const uint i = gl_GlobalInvocationID.x;
  if (i < push.count) {
    const uvec3 pixel = (uvec3(pixels[i]) >> uvec3(0u, 8u, 16u)) & 255u;
    uint nearest = 0u;
    float least = 1e30;
    for (uint k = 0u; k < kColours; ++k) {
      const vec3 offset = vec3(pixel) - colours[k].rgb;
      const float distance_squared = dot(offset, offset);
      if (distance_squared < least) {
        least = distance_squared;
        nearest = k;
      }
    }
    if (labels[i] != nearest) atomicAdd(part_moved, 1u);
    labels[i] = nearest;
    atomicAdd(part[nearest * 2u], pixel.r | pixel.g << 16u);
    atomicAdd(part[nearest * 2u + 1u], pixel.b | 1u << 16u);
  }
  barrier();
  if (local < kColours * 4u) {
    atomicAdd(sums[local / 4u][local % 4u], part[local / 2u] >> (local % 2u * 16u) & 0xffffu);
  }
  if (local == 0u) atomicAdd(moved, part_moved);
}
