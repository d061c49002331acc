#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 16) in;
layout(binding = 0) workgroupcoherent buffer Words { uint words[]; };
layout(binding = 1) nonprivate buffer Cells { uint count; uvec4 quads[]; };
layout(binding = 2) writeonly buffer Result { uint result[]; };
layout(binding = 3) volatile buffer Loose { uint loose[]; };
shared uint tile[16];

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint local = gl_LocalInvocationIndex;
  words[i] = i * 7u + loose[i];
  tile[local] = words[i];
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  uint sum = words[i ^ 1u] + tile[15u - local];
  atomicAdd(count, i, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  quads[i] = uvec4(sum, i, 1u, 2u);
  sum += quads[i].y;
  result[i] = sum + atomicLoad(quads[i].z, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
  atomicStore(quads[i].w, sum, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  loose[i] = sum;
}
