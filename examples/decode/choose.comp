#version 450
// The token with the largest logit, the first of them if several have it: one workgroup. It becomes the token at hand,
// and the position moves on by one.
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Logits { float logits[]; };
layout(binding = 1) buffer State { uint token; uint position; };
layout(binding = 2) writeonly buffer Tokens { uint tokens[]; };
layout(push_constant) uniform Push {
  uint count;
} push;
shared uint best[32];

bool is_better(uint a, uint b) { return logits[a] > logits[b] || (logits[a] == logits[b] && a < b); }

void main() {
  const uint local = gl_LocalInvocationID.x;
  uint own = local;
  for (uint i = local; i < push.count; i += 32u) {
    if (is_better(i, own)) own = i;
  }
  best[local] = own;
  barrier();
  for (uint half_size = 16u; half_size > 0u; half_size /= 2u) {
    if (local < half_size && is_better(best[local + half_size], best[local])) best[local] = best[local + half_size];
    barrier();
  }
  if (local != 0u) return;
  tokens[position] = best[0];
  token = best[0];
  position += 1u;
}
