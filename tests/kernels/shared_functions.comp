#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { uint values[]; };

struct Slot {
  uint key;
  uvec2 payload;
};
shared Slot slots[32];
shared uint winners;

void add_to(inout uint target, uint amount) {
  target += amount;
}

uint key_of(uint lane) {
  return slots[lane & 31u].key;
}

void publish(uint lane, uint key) {
  slots[lane] = Slot(key, uvec2(key * 2u, lane));
  if (lane == 0u) winners = 0u;
  barrier();
}

uint nested(uint lane, uint depth) {
  uint sum = key_of(lane);
  if (depth > 1u) sum += key_of(lane + depth) * slots[lane ^ 1u].payload.y;
  return sum;
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  publish(lane, values[gl_GlobalInvocationID.x]);
  const uint sum = nested(lane, 3u);
  if (key_of(lane) > key_of(lane + 1u)) atomicAdd(winners, 1u);
  barrier();
  add_to(slots[lane].payload.x, sum);
  values[gl_GlobalInvocationID.x] = slots[lane].payload.x + winners;
}
