#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Cells { float total; float own[]; };
layout(binding = 1) writeonly buffer Result { float result[]; };

// Halves, so that the order of the sum does not show.
void main() {
  const uint i = gl_GlobalInvocationID.x;
  atomicAdd(total, float(i) * 0.5);
  const float old = atomicAdd(own[i], 1.5);
  result[i] = old + atomicExchange(own[i], old * 2.0);
}
