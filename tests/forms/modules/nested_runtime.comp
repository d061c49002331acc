#version 450
layout(local_size_x = 8) in;
struct Weight { float w[2]; uvec2 at; };
struct Node { vec3 position; uint next[3]; Weight weights[2]; };
layout(binding = 0) buffer Nodes { uint count; uint roots[5]; Node nodes[]; };
layout(binding = 1) writeonly buffer Result { float result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint at = roots[i % 5u] % count;
  float sum = 0.0;
  for (uint step = 0u; step < 4u; ++step) {
    sum += nodes[at].position[step % 3u] + nodes[at].weights[step & 1u].w[(step >> 1u) & 1u];
    sum += float(nodes[at].weights[1].at[step & 1u]);
    at = nodes[at].next[step % 3u] % uint(nodes.length());
  }
  result[i] = sum;
}
