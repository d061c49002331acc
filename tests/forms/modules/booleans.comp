#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Flags { bool any_; bvec3 triple; bool flags[]; };
layout(binding = 1) writeonly buffer Result { uint result[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const bool flag = flags[i] || (triple[i % 3u] && any_);
  flags[i] = !flag;
  result[i] = (flag ? 3u : 5u) + uint(flags[i] != flags[i ^ 0u] || all(triple));
}
