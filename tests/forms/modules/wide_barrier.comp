#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Words { uint words[]; };

void main() {
  words[gl_GlobalInvocationID.x] = 1u;
  controlBarrier(gl_ScopeQueueFamily, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  words[gl_GlobalInvocationID.x] += words[0];
}
