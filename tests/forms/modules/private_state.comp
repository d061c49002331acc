#version 450
layout(local_size_x = 8) in;
struct State { uint count; uvec2 pair; float scale[2]; };
layout(binding = 0) buffer Words { uint words[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };
uint counter = 5u;
uint table[4] = uint[4](1u, 2u, 3u, 4u);
State state = State(7u, uvec2(1u, 9u), float[2](0.5, 2.0));
const uint kPrimes[5] = uint[5](2u, 3u, 5u, 7u, 11u);

// Whatever is private begins with these values for every item.
uint step_once(uint by) {
  counter += by;
  table[counter & 3u] ^= counter;
  state.count = state.count * 3u + table[by & 3u];
  state.pair.y -= by;
  state.scale[by & 1u] *= 2.0;
  return counter * kPrimes[by % 5u];
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint sum = step_once(words[i]);
  uint local[3] = uint[3](10u, 20u, 30u);
  for (uint k = 0u; k < 3u; ++k) {
    local[k] += step_once(k + i);
    sum = sum * 3u + local[(k + i) % 3u];
  }
  result[i] = sum + counter + state.count + state.pair.x + state.pair.y + uint(state.scale[1] * 2.0) + table[2];
}
