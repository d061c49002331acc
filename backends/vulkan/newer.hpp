#pragma once

#include <cstdint>

#include <volk.h>

/// Structures of Vulkan extensions that the headers of the build may not have yet, with the numbers of the registry.
///
/// Names are ours, so that newer headers do not collide with them. vyre/program/spirv/newer.hpp does the same for
/// SPIR-V.
namespace vyre::backends::vulkan::newer {

/// The head of every features structure; booleans follow.
struct Head {
  VkStructureType sType;
  void* pNext;
};

constexpr VkStructureType to_type(std::uint32_t number) { return static_cast<VkStructureType>(number); }

struct Bfloat16Features : Head {
  VkBool32 shaderBFloat16Type;
  VkBool32 shaderBFloat16DotProduct;
  VkBool32 shaderBFloat16CooperativeMatrix;
};
inline constexpr VkStructureType kBfloat16Features = to_type(1'000'141'000);
inline constexpr const char* kBfloat16Extension = "VK_KHR_shader_bfloat16";

struct QuadControlFeatures : Head {
  VkBool32 shaderQuadControl;
};
inline constexpr VkStructureType kQuadControlFeatures = to_type(1'000'235'000);
inline constexpr const char* kQuadControlExtension = "VK_KHR_shader_quad_control";

struct UntypedPointersFeatures : Head {
  VkBool32 shaderUntypedPointers;
};
inline constexpr VkStructureType kUntypedPointersFeatures = to_type(1'000'387'000);
inline constexpr const char* kUntypedPointersExtension = "VK_KHR_shader_untyped_pointers";

struct SubgroupRotateFeatures : Head {
  VkBool32 shaderSubgroupRotate;
  VkBool32 shaderSubgroupRotateClustered;
};
inline constexpr VkStructureType kSubgroupRotateFeatures = to_type(1'000'416'000);
inline constexpr const char* kSubgroupRotateExtension = "VK_KHR_shader_subgroup_rotate";

struct MaximalReconvergenceFeatures : Head {
  VkBool32 shaderMaximalReconvergence;
};
inline constexpr VkStructureType kMaximalReconvergenceFeatures = to_type(1'000'434'000);
inline constexpr const char* kMaximalReconvergenceExtension = "VK_KHR_shader_maximal_reconvergence";

struct CooperativeVectorFeatures : Head {
  VkBool32 cooperativeVector;
  VkBool32 cooperativeVectorTraining;
};
inline constexpr VkStructureType kCooperativeVectorFeatures = to_type(1'000'491'000);
inline constexpr const char* kCooperativeVectorExtension = "VK_NV_cooperative_vector";

struct CoreBuiltinsFeatures : Head {
  VkBool32 shaderCoreBuiltins;
};
inline constexpr VkStructureType kCoreBuiltinsFeatures = to_type(1'000'497'000);
inline constexpr const char* kCoreBuiltinsExtension = "VK_ARM_shader_core_builtins";

struct CooperativeMatrixFeatures : Head {
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};
inline constexpr VkStructureType kCooperativeMatrixFeatures = to_type(1'000'506'000);
inline constexpr const char* kCooperativeMatrixExtension = "VK_KHR_cooperative_matrix";

struct FloatControls2Features : Head {
  VkBool32 shaderFloatControls2;
};
inline constexpr VkStructureType kFloatControls2Features = to_type(1'000'528'000);
inline constexpr const char* kFloatControls2Extension = "VK_KHR_shader_float_controls2";

struct ExpectAssumeFeatures : Head {
  VkBool32 shaderExpectAssume;
};
inline constexpr VkStructureType kExpectAssumeFeatures = to_type(1'000'544'000);
inline constexpr const char* kExpectAssumeExtension = "VK_KHR_shader_expect_assume";

struct RawAccessChainsFeatures : Head {
  VkBool32 shaderRawAccessChains;
};
inline constexpr VkStructureType kRawAccessChainsFeatures = to_type(1'000'555'000);
inline constexpr const char* kRawAccessChainsExtension = "VK_NV_raw_access_chains";

struct AtomicFloat16VectorFeatures : Head {
  VkBool32 shaderFloat16VectorAtomics;
};
inline constexpr VkStructureType kAtomicFloat16VectorFeatures = to_type(1'000'563'000);
inline constexpr const char* kAtomicFloat16VectorExtension = "VK_NV_shader_atomic_float16_vector";

struct ReplicatedCompositesFeatures : Head {
  VkBool32 shaderReplicatedComposites;
};
inline constexpr VkStructureType kReplicatedCompositesFeatures = to_type(1'000'564'000);
inline constexpr const char* kReplicatedCompositesExtension = "VK_EXT_shader_replicated_composites";

struct Float8Features : Head {
  VkBool32 shaderFloat8;
  VkBool32 shaderFloat8CooperativeMatrix;
};
inline constexpr VkStructureType kFloat8Features = to_type(1'000'567'000);
inline constexpr const char* kFloat8Extension = "VK_EXT_shader_float8";

struct CooperativeMatrix2Features : Head {
  VkBool32 cooperativeMatrixWorkgroupScope;
  VkBool32 cooperativeMatrixFlexibleDimensions;
  VkBool32 cooperativeMatrixReductions;
  VkBool32 cooperativeMatrixConversions;
  VkBool32 cooperativeMatrixPerElementOperations;
  VkBool32 cooperativeMatrixTensorAddressing;
  VkBool32 cooperativeMatrixBlockLoads;
};
inline constexpr VkStructureType kCooperativeMatrix2Features = to_type(1'000'593'000);
inline constexpr const char* kCooperativeMatrix2Extension = "VK_NV_cooperative_matrix2";

}  // namespace vyre::backends::vulkan::newer
