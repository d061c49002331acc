#version 450
layout(local_size_x = 16) in;

struct Sample {
  vec2 at;
  float weight;
};
struct Track {
  uint id;
  Sample samples[3];
  vec3 total;
};
layout(binding = 0, std430) buffer Tracks {
  uint picked;
  Track tracks[];
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  vec3 total = vec3(0.0);
  for (uint k = 0u; k < 3u; ++k) total += vec3(tracks[i].samples[k].at, 1.0) * tracks[i].samples[k].weight;
  tracks[i].total = total;
  tracks[i].samples[(tracks[i].id + picked) % 3u].at.y = -1.0;
}
