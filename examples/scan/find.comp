#version 450
// Where four patterns of 4 to 16 bytes begin in a part of a text. Every invocation looks at the four places of a word.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Part {
  uint begin;       // Where the part is in the text.
  uint bytes_left;  // In the text, from there on.
  uint words[];
} part;
layout(binding = 1) buffer Found {
  uint count;
  uint unused;
  uvec2 places[];  // A pattern, and where it is.
} found;
layout(push_constant) uniform Push {
  uvec4 patterns[4];
  uvec4 sizes;
} push;

/// A bit for each of the four places where the first four bytes of a pattern are.
uint likely_places(uvec4 starts, uint pattern) {
  const uvec4 is_likely = uvec4(equal(starts, uvec4(push.patterns[pattern].x)));
  return is_likely.x | is_likely.y << 1u | is_likely.z << 2u | is_likely.w << 3u;
}

/// The four bytes at a place.
uint bytes_at(uint place) {
  const uint shift = (place & 3u) * 8u;
  const uint low = part.words[place / 4u] >> shift;
  return shift == 0u ? low : low | part.words[place / 4u + 1u] << (32u - shift);
}

bool is_at(uint pattern, uint place) {
  const uint size = push.sizes[pattern];
  bool is_same = place + size <= part.bytes_left;
  for (uint word = 1u; word * 4u < size; ++word) {
    const uint rest = min(size - word * 4u, 4u);
    const uint mask = 0xffffffffu >> (32u - rest * 8u);
    is_same = is_same && ((bytes_at(place + word * 4u) ^ push.patterns[pattern][word]) & mask) == 0u;
  }
  return is_same;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint low = part.words[i];
  const uint high = part.words[i + 1u];
  const uvec4 starts = uvec4(low, low >> 8u | high << 24u, low >> 16u | high << 16u, low >> 24u | high << 8u);
  uint likely = likely_places(starts, 0u) | likely_places(starts, 1u) << 4u | likely_places(starts, 2u) << 8u |
                likely_places(starts, 3u) << 12u;
  // Few places come this far.
  for (; likely != 0u; likely &= likely - 1u) {
    const uint bit = uint(findLSB(likely));
    const uint place = i * 4u + bit % 4u;
    if (!is_at(bit / 4u, place)) continue;
    const uint index = atomicAdd(found.count, 1u);
    if (index < found.places.length()) found.places[index] = uvec2(bit / 4u, part.begin + place);
  }
}
