#pragma once

namespace vyre::bench {

/// A kernel that costs next to nothing, so that what is measured is the way to it.
inline constexpr const char* kSaxpy = R"(#version 450
#ifndef LOCAL
#define LOCAL 64
#endif
layout(local_size_x = LOCAL) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { float scale; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] += scale * x[i];
}
)";

}  // namespace vyre::bench
