#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) workgroupcoherent buffer Staged { uint staged[]; };
layout(binding = 2) writeonly buffer Result { uint result[]; };
shared uint tile[32];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint local = gl_LocalInvocationIndex;
  tile[local] = source[i];
  barrier();
  staged[i] = tile[31u - local] * 3u;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  result[i] = staged[i ^ 1u] + tile[local];
}
