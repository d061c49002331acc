#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Keys { float keys[]; };
layout(push_constant) uniform Push {
  uint size;
  uint reach;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint partner = i ^ reach;
  if (partner <= i) return;
  const float a = keys[i];
  const float b = keys[partner];
  const bool ascending = (i & size) == 0u;
  if (ascending ? a > b : a < b) {
    keys[i] = b;
    keys[partner] = a;
  }
}
