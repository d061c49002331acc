#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer Flags { uint ready; uint value; };
layout(binding = 1) buffer Result { uint result[]; };

bool is_ready() { return atomicLoad(ready, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) != 0u; }

// The exit depends on the atomic by way of a call and two variables.
void main() {
  bool done = false;
  uint trips = 0u;
  while (!done) {
    const bool seen = is_ready();
    done = seen || false;
    ++trips;
  }
  result[gl_GlobalInvocationID.x] = trips + value;
}
