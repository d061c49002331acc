#include <backends/vulkan/features.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

#include <backends/vulkan/error.hpp>
#include <backends/vulkan/newer.hpp>

namespace vyre::backends::vulkan {
namespace {

/// A features structure of Vulkan. Those after `V13` belong to extensions, in the order of `kExtensionBlocks`.
enum class BlockId : std::uint8_t {
  Core,
  V11,
  V12,
  V13,
  AtomicFloat,
  AtomicFloat2,
  ExplicitLayout,
  UniformControlFlow,
  Clock,
  DotProduct,
  Derivatives,
  SmBuiltins,
  IntegerFunctions2,
  CooperativeMatrixNv,
  Bfloat16,
  QuadControl,
  UntypedPointers,
  SubgroupRotate,
  MaximalReconvergence,
  CooperativeVector,
  CoreBuiltins,
  CooperativeMatrix,
  FloatControls2,
  ExpectAssume,
  RawAccessChains,
  AtomicFloat16Vector,
  ReplicatedComposites,
  Float8,
  CooperativeMatrix2,
};

struct ExtensionBlock {
  BlockId id;
  VkStructureType type;
  std::size_t size;
  const char* extension;
};

constexpr ExtensionBlock kExtensionBlocks[] = {
    {BlockId::AtomicFloat, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     sizeof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT), VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME},
    {BlockId::AtomicFloat2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
     sizeof(VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT), VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME},
    {BlockId::ExplicitLayout, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
     sizeof(VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR),
     VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME},
    {BlockId::UniformControlFlow, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
     sizeof(VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR),
     VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME},
    {BlockId::Clock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
     sizeof(VkPhysicalDeviceShaderClockFeaturesKHR), VK_KHR_SHADER_CLOCK_EXTENSION_NAME},
    {BlockId::DotProduct, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
     sizeof(VkPhysicalDeviceShaderIntegerDotProductFeatures), VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME},
    {BlockId::Derivatives, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV,
     sizeof(VkPhysicalDeviceComputeShaderDerivativesFeaturesNV), VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME},
    {BlockId::SmBuiltins, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV,
     sizeof(VkPhysicalDeviceShaderSMBuiltinsFeaturesNV), VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME},
    {BlockId::IntegerFunctions2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_FUNCTIONS_2_FEATURES_INTEL,
     sizeof(VkPhysicalDeviceShaderIntegerFunctions2FeaturesINTEL), VK_INTEL_SHADER_INTEGER_FUNCTIONS_2_EXTENSION_NAME},
    {BlockId::CooperativeMatrixNv, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
     sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesNV), VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME},
    {BlockId::Bfloat16, newer::kBfloat16Features, sizeof(newer::Bfloat16Features), newer::kBfloat16Extension},
    {BlockId::QuadControl, newer::kQuadControlFeatures, sizeof(newer::QuadControlFeatures),
     newer::kQuadControlExtension},
    {BlockId::UntypedPointers, newer::kUntypedPointersFeatures, sizeof(newer::UntypedPointersFeatures),
     newer::kUntypedPointersExtension},
    {BlockId::SubgroupRotate, newer::kSubgroupRotateFeatures, sizeof(newer::SubgroupRotateFeatures),
     newer::kSubgroupRotateExtension},
    {BlockId::MaximalReconvergence, newer::kMaximalReconvergenceFeatures, sizeof(newer::MaximalReconvergenceFeatures),
     newer::kMaximalReconvergenceExtension},
    {BlockId::CooperativeVector, newer::kCooperativeVectorFeatures, sizeof(newer::CooperativeVectorFeatures),
     newer::kCooperativeVectorExtension},
    {BlockId::CoreBuiltins, newer::kCoreBuiltinsFeatures, sizeof(newer::CoreBuiltinsFeatures),
     newer::kCoreBuiltinsExtension},
    {BlockId::CooperativeMatrix, newer::kCooperativeMatrixFeatures, sizeof(newer::CooperativeMatrixFeatures),
     newer::kCooperativeMatrixExtension},
    {BlockId::FloatControls2, newer::kFloatControls2Features, sizeof(newer::FloatControls2Features),
     newer::kFloatControls2Extension},
    {BlockId::ExpectAssume, newer::kExpectAssumeFeatures, sizeof(newer::ExpectAssumeFeatures),
     newer::kExpectAssumeExtension},
    {BlockId::RawAccessChains, newer::kRawAccessChainsFeatures, sizeof(newer::RawAccessChainsFeatures),
     newer::kRawAccessChainsExtension},
    {BlockId::AtomicFloat16Vector, newer::kAtomicFloat16VectorFeatures, sizeof(newer::AtomicFloat16VectorFeatures),
     newer::kAtomicFloat16VectorExtension},
    {BlockId::ReplicatedComposites, newer::kReplicatedCompositesFeatures, sizeof(newer::ReplicatedCompositesFeatures),
     newer::kReplicatedCompositesExtension},
    {BlockId::Float8, newer::kFloat8Features, sizeof(newer::Float8Features), newer::kFloat8Extension},
    {BlockId::CooperativeMatrix2, newer::kCooperativeMatrix2Features, sizeof(newer::CooperativeMatrix2Features),
     newer::kCooperativeMatrix2Extension},
};
static_assert(std::size(kExtensionBlocks) == FeatureChain::kExtensionBlocks);
static_assert(std::ranges::all_of(kExtensionBlocks, [](const ExtensionBlock& block) {
  return static_cast<std::size_t>(block.id) == static_cast<std::size_t>(&block - kExtensionBlocks) + 4 &&
         block.size <= FeatureChain::kBlockBytes;
}));

struct Feature {
  BlockId block = BlockId::Core;
  std::size_t offset = 0;
};

/// What a device must have so that kernels may declare a name: a capability, execution mode or extension of SPIR-V.
struct Requirement {
  enum class Kind : std::uint8_t { Nothing, Version, Feature, Subgroup, Control, Extension };

  std::string_view name;
  Kind kind = Kind::Nothing;
  std::uint32_t version = 0;        ///< Of the Vulkan API.
  Feature feature = {};             ///< A boolean of a features structure.
  VkFlags subgroup = 0;             ///< A subgroup operation that compute shaders must support.
  std::size_t control = 0;          ///< The offset of a boolean in the properties of float controls.
  const char* extension = nullptr;  ///< Of the Vulkan API.
};

using Kind = Requirement::Kind;

constexpr Requirement always(std::string_view name) { return {.name = name}; }
constexpr Requirement since(std::string_view name, std::uint32_t version) {
  return {.name = name, .kind = Kind::Version, .version = version};
}
constexpr Requirement needs(std::string_view name, Feature feature) {
  return {.name = name, .kind = Kind::Feature, .feature = feature};
}
constexpr Requirement in_subgroups(std::string_view name, VkSubgroupFeatureFlagBits bit) {
  return {.name = name, .kind = Kind::Subgroup, .subgroup = static_cast<VkFlags>(bit)};
}
constexpr Requirement controls(std::string_view name, std::size_t offset) {
  return {.name = name, .kind = Kind::Control, .control = offset};
}
constexpr Requirement offered(std::string_view name, const char* extension) {
  return {.name = name, .kind = Kind::Extension, .extension = extension};
}

// The table names members of these structures by their offset, because pointers to members cannot go into one array.
#define VYRE_CORE(member) \
  Feature { BlockId::Core, offsetof(VkPhysicalDeviceFeatures2, features) + offsetof(VkPhysicalDeviceFeatures, member) }
#define VYRE_V11(member) \
  Feature { BlockId::V11, offsetof(VkPhysicalDeviceVulkan11Features, member) }
#define VYRE_V12(member) \
  Feature { BlockId::V12, offsetof(VkPhysicalDeviceVulkan12Features, member) }
#define VYRE_V13(member) \
  Feature { BlockId::V13, offsetof(VkPhysicalDeviceVulkan13Features, member) }
#define VYRE_OF(block, structure, member) \
  Feature { BlockId::block, offsetof(structure, member) }
#define VYRE_ATOMIC(member) VYRE_OF(AtomicFloat, VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, member)
#define VYRE_ATOMIC2(member) VYRE_OF(AtomicFloat2, VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT, member)
#define VYRE_LAYOUT(member) VYRE_OF(ExplicitLayout, VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR, member)
#define VYRE_DERIVATIVES(member) VYRE_OF(Derivatives, VkPhysicalDeviceComputeShaderDerivativesFeaturesNV, member)
// A structure of newer.hpp is a head followed by booleans.
#define VYRE_NEWER(block, index) \
  Feature { BlockId::block, sizeof(newer::Head) + (index) * sizeof(VkBool32) }
#define VYRE_CONTROL(member) offsetof(VkPhysicalDeviceFloatControlsProperties, member)

constexpr Feature kDotProduct13 = VYRE_V13(shaderIntegerDotProduct);
constexpr Feature kDotProduct =
    VYRE_OF(DotProduct, VkPhysicalDeviceShaderIntegerDotProductFeatures, shaderIntegerDotProduct);
constexpr Feature kUniformControlFlow = VYRE_OF(
    UniformControlFlow, VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR, shaderSubgroupUniformControlFlow);
constexpr Feature kSubgroupClock = VYRE_OF(Clock, VkPhysicalDeviceShaderClockFeaturesKHR, shaderSubgroupClock);
constexpr Feature kCooperativeMatrixNv =
    VYRE_OF(CooperativeMatrixNv, VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix);
constexpr Feature kSmBuiltins = VYRE_OF(SmBuiltins, VkPhysicalDeviceShaderSMBuiltinsFeaturesNV, shaderSMBuiltins);
constexpr Feature kIntegerFunctions2 =
    VYRE_OF(IntegerFunctions2, VkPhysicalDeviceShaderIntegerFunctions2FeaturesINTEL, shaderIntegerFunctions2);

/// The table of capabilities in the Vulkan specification. If a name has two rows, one of them is enough.
constexpr Requirement kCapabilities[] = {
    always("Shader"),
    always("Matrix"),
    always("DeviceGroup"),
    always("ShaderNonUniform"),
    needs("Int16", VYRE_CORE(shaderInt16)),
    needs("Int64", VYRE_CORE(shaderInt64)),
    needs("Float64", VYRE_CORE(shaderFloat64)),
    needs("StorageBufferArrayDynamicIndexing", VYRE_CORE(shaderStorageBufferArrayDynamicIndexing)),
    needs("UniformBufferArrayDynamicIndexing", VYRE_CORE(shaderUniformBufferArrayDynamicIndexing)),
    needs("StorageBuffer16BitAccess", VYRE_V11(storageBuffer16BitAccess)),
    needs("UniformAndStorageBuffer16BitAccess", VYRE_V11(uniformAndStorageBuffer16BitAccess)),
    needs("StoragePushConstant16", VYRE_V11(storagePushConstant16)),
    needs("VariablePointers", VYRE_V11(variablePointers)),
    needs("VariablePointersStorageBuffer", VYRE_V11(variablePointersStorageBuffer)),
    needs("StorageBuffer8BitAccess", VYRE_V12(storageBuffer8BitAccess)),
    needs("UniformAndStorageBuffer8BitAccess", VYRE_V12(uniformAndStorageBuffer8BitAccess)),
    needs("StoragePushConstant8", VYRE_V12(storagePushConstant8)),
    needs("Int64Atomics", VYRE_V12(shaderBufferInt64Atomics)),
    needs("Float16", VYRE_V12(shaderFloat16)),
    needs("Int8", VYRE_V12(shaderInt8)),
    needs("VulkanMemoryModel", VYRE_V12(vulkanMemoryModel)),
    needs("VulkanMemoryModelDeviceScope", VYRE_V12(vulkanMemoryModelDeviceScope)),
    needs("PhysicalStorageBufferAddresses", VYRE_V12(bufferDeviceAddress)),
    needs("RuntimeDescriptorArray", VYRE_V12(runtimeDescriptorArray)),
    needs("UniformBufferArrayNonUniformIndexing", VYRE_V12(shaderUniformBufferArrayNonUniformIndexing)),
    needs("StorageBufferArrayNonUniformIndexing", VYRE_V12(shaderStorageBufferArrayNonUniformIndexing)),
    needs("DotProduct", kDotProduct13),
    needs("DotProduct", kDotProduct),
    needs("DotProductInputAll", kDotProduct13),
    needs("DotProductInputAll", kDotProduct),
    needs("DotProductInput4x8Bit", kDotProduct13),
    needs("DotProductInput4x8Bit", kDotProduct),
    needs("DotProductInput4x8BitPacked", kDotProduct13),
    needs("DotProductInput4x8BitPacked", kDotProduct),
    in_subgroups("GroupNonUniform", VK_SUBGROUP_FEATURE_BASIC_BIT),
    in_subgroups("GroupNonUniformVote", VK_SUBGROUP_FEATURE_VOTE_BIT),
    in_subgroups("GroupNonUniformArithmetic", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT),
    in_subgroups("GroupNonUniformBallot", VK_SUBGROUP_FEATURE_BALLOT_BIT),
    in_subgroups("GroupNonUniformShuffle", VK_SUBGROUP_FEATURE_SHUFFLE_BIT),
    in_subgroups("GroupNonUniformShuffleRelative", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT),
    in_subgroups("GroupNonUniformClustered", VK_SUBGROUP_FEATURE_CLUSTERED_BIT),
    in_subgroups("GroupNonUniformQuad", VK_SUBGROUP_FEATURE_QUAD_BIT),
    offered("GroupNonUniformPartitionedNV", VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME),
    needs("GroupNonUniformRotateKHR", VYRE_NEWER(SubgroupRotate, 0)),
    offered("SubgroupBallotKHR", VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME),
    offered("SubgroupVoteKHR", VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME),
    controls("DenormPreserve", VYRE_CONTROL(shaderDenormPreserveFloat16)),
    controls("DenormPreserve", VYRE_CONTROL(shaderDenormPreserveFloat32)),
    controls("DenormPreserve", VYRE_CONTROL(shaderDenormPreserveFloat64)),
    controls("DenormFlushToZero", VYRE_CONTROL(shaderDenormFlushToZeroFloat16)),
    controls("DenormFlushToZero", VYRE_CONTROL(shaderDenormFlushToZeroFloat32)),
    controls("DenormFlushToZero", VYRE_CONTROL(shaderDenormFlushToZeroFloat64)),
    controls("SignedZeroInfNanPreserve", VYRE_CONTROL(shaderSignedZeroInfNanPreserveFloat16)),
    controls("SignedZeroInfNanPreserve", VYRE_CONTROL(shaderSignedZeroInfNanPreserveFloat32)),
    controls("SignedZeroInfNanPreserve", VYRE_CONTROL(shaderSignedZeroInfNanPreserveFloat64)),
    controls("RoundingModeRTE", VYRE_CONTROL(shaderRoundingModeRTEFloat16)),
    controls("RoundingModeRTE", VYRE_CONTROL(shaderRoundingModeRTEFloat32)),
    controls("RoundingModeRTE", VYRE_CONTROL(shaderRoundingModeRTEFloat64)),
    controls("RoundingModeRTZ", VYRE_CONTROL(shaderRoundingModeRTZFloat16)),
    controls("RoundingModeRTZ", VYRE_CONTROL(shaderRoundingModeRTZFloat32)),
    controls("RoundingModeRTZ", VYRE_CONTROL(shaderRoundingModeRTZFloat64)),
    needs("FloatControls2", VYRE_NEWER(FloatControls2, 0)),
    // Atomics on buffers. If the device also has them on shared memory, `kExtras` enables those.
    needs("AtomicFloat32AddEXT", VYRE_ATOMIC(shaderBufferFloat32AtomicAdd)),
    needs("AtomicFloat64AddEXT", VYRE_ATOMIC(shaderBufferFloat64AtomicAdd)),
    needs("AtomicFloat16AddEXT", VYRE_ATOMIC2(shaderBufferFloat16AtomicAdd)),
    needs("AtomicFloat16MinMaxEXT", VYRE_ATOMIC2(shaderBufferFloat16AtomicMinMax)),
    needs("AtomicFloat32MinMaxEXT", VYRE_ATOMIC2(shaderBufferFloat32AtomicMinMax)),
    needs("AtomicFloat64MinMaxEXT", VYRE_ATOMIC2(shaderBufferFloat64AtomicMinMax)),
    needs("AtomicFloat16VectorNV", VYRE_NEWER(AtomicFloat16Vector, 0)),
    needs("WorkgroupMemoryExplicitLayoutKHR", VYRE_LAYOUT(workgroupMemoryExplicitLayout)),
    needs("WorkgroupMemoryExplicitLayout8BitAccessKHR", VYRE_LAYOUT(workgroupMemoryExplicitLayout8BitAccess)),
    needs("WorkgroupMemoryExplicitLayout16BitAccessKHR", VYRE_LAYOUT(workgroupMemoryExplicitLayout16BitAccess)),
    needs("ShaderClockKHR", kSubgroupClock),
    needs("ExpectAssumeKHR", VYRE_NEWER(ExpectAssume, 0)),
    needs("QuadControlKHR", VYRE_NEWER(QuadControl, 0)),
    needs("UntypedPointersKHR", VYRE_NEWER(UntypedPointers, 0)),
    needs("RawAccessChainsNV", VYRE_NEWER(RawAccessChains, 0)),
    needs("ReplicatedCompositesEXT", VYRE_NEWER(ReplicatedComposites, 0)),
    needs("CooperativeMatrixNV", kCooperativeMatrixNv),
    needs("CooperativeMatrixKHR", VYRE_NEWER(CooperativeMatrix, 0)),
    needs("CooperativeMatrixReductionsNV", VYRE_NEWER(CooperativeMatrix2, 2)),
    needs("CooperativeMatrixConversionsNV", VYRE_NEWER(CooperativeMatrix2, 3)),
    needs("CooperativeMatrixPerElementOperationsNV", VYRE_NEWER(CooperativeMatrix2, 4)),
    needs("CooperativeMatrixTensorAddressingNV", VYRE_NEWER(CooperativeMatrix2, 5)),
    needs("TensorAddressingNV", VYRE_NEWER(CooperativeMatrix2, 5)),
    needs("CooperativeMatrixBlockLoadsNV", VYRE_NEWER(CooperativeMatrix2, 6)),
    needs("CooperativeVectorNV", VYRE_NEWER(CooperativeVector, 0)),
    needs("CooperativeVectorTrainingNV", VYRE_NEWER(CooperativeVector, 1)),
    needs("BFloat16TypeKHR", VYRE_NEWER(Bfloat16, 0)),
    needs("BFloat16DotProductKHR", VYRE_NEWER(Bfloat16, 1)),
    needs("BFloat16CooperativeMatrixKHR", VYRE_NEWER(Bfloat16, 2)),
    needs("Float8EXT", VYRE_NEWER(Float8, 0)),
    needs("Float8CooperativeMatrixEXT", VYRE_NEWER(Float8, 1)),
    needs("ComputeDerivativeGroupQuadsNV", VYRE_DERIVATIVES(computeDerivativeGroupQuads)),
    needs("ComputeDerivativeGroupLinearNV", VYRE_DERIVATIVES(computeDerivativeGroupLinear)),
    needs("ShaderSMBuiltinsNV", kSmBuiltins),
    needs("CoreBuiltinsARM", VYRE_NEWER(CoreBuiltins, 0)),
    needs("IntegerFunctions2INTEL", kIntegerFunctions2),
};

constexpr Requirement kExecutionModes[] = {
    controls("DenormPreserve 16", VYRE_CONTROL(shaderDenormPreserveFloat16)),
    controls("DenormPreserve 32", VYRE_CONTROL(shaderDenormPreserveFloat32)),
    controls("DenormPreserve 64", VYRE_CONTROL(shaderDenormPreserveFloat64)),
    controls("DenormFlushToZero 16", VYRE_CONTROL(shaderDenormFlushToZeroFloat16)),
    controls("DenormFlushToZero 32", VYRE_CONTROL(shaderDenormFlushToZeroFloat32)),
    controls("DenormFlushToZero 64", VYRE_CONTROL(shaderDenormFlushToZeroFloat64)),
    controls("SignedZeroInfNanPreserve 16", VYRE_CONTROL(shaderSignedZeroInfNanPreserveFloat16)),
    controls("SignedZeroInfNanPreserve 32", VYRE_CONTROL(shaderSignedZeroInfNanPreserveFloat32)),
    controls("SignedZeroInfNanPreserve 64", VYRE_CONTROL(shaderSignedZeroInfNanPreserveFloat64)),
    controls("RoundingModeRTE 16", VYRE_CONTROL(shaderRoundingModeRTEFloat16)),
    controls("RoundingModeRTE 32", VYRE_CONTROL(shaderRoundingModeRTEFloat32)),
    controls("RoundingModeRTE 64", VYRE_CONTROL(shaderRoundingModeRTEFloat64)),
    controls("RoundingModeRTZ 16", VYRE_CONTROL(shaderRoundingModeRTZFloat16)),
    controls("RoundingModeRTZ 32", VYRE_CONTROL(shaderRoundingModeRTZFloat32)),
    controls("RoundingModeRTZ 64", VYRE_CONTROL(shaderRoundingModeRTZFloat64)),
    needs("SubgroupUniformControlFlowKHR", kUniformControlFlow),
    needs("MaximallyReconvergesKHR", VYRE_NEWER(MaximalReconvergence, 0)),
    needs("QuadDerivativesKHR", VYRE_NEWER(QuadControl, 0)),
    needs("FPFastMathDefault", VYRE_NEWER(FloatControls2, 0)),
    needs("DerivativeGroupQuadsNV", VYRE_DERIVATIVES(computeDerivativeGroupQuads)),
    needs("DerivativeGroupLinearNV", VYRE_DERIVATIVES(computeDerivativeGroupLinear)),
};

constexpr Requirement kExtensions[] = {
    // Part of Vulkan 1.2, the oldest version that vyre supports.
    always("SPV_EXT_descriptor_indexing"),
    always("SPV_EXT_physical_storage_buffer"),
    always("SPV_KHR_16bit_storage"),
    always("SPV_KHR_8bit_storage"),
    always("SPV_KHR_device_group"),
    always("SPV_KHR_float_controls"),
    always("SPV_KHR_no_integer_wrap_decoration"),
    always("SPV_KHR_physical_storage_buffer"),
    always("SPV_KHR_storage_buffer_storage_class"),
    always("SPV_KHR_variable_pointers"),
    always("SPV_KHR_vulkan_memory_model"),
    // These extensions do not change what is computed, and drivers ignore instructions of theirs that they do not know.
    always("SPV_GOOGLE_decorate_string"),
    always("SPV_GOOGLE_hlsl_functionality1"),
    always("SPV_GOOGLE_user_type"),
    always("SPV_KHR_non_semantic_info"),
    since("SPV_KHR_terminate_invocation", VK_API_VERSION_1_3),
    needs("SPV_KHR_integer_dot_product", kDotProduct13),
    needs("SPV_KHR_integer_dot_product", kDotProduct),
    offered("SPV_KHR_shader_ballot", VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME),
    offered("SPV_KHR_subgroup_vote", VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME),
    needs("SPV_KHR_subgroup_uniform_control_flow", kUniformControlFlow),
    needs("SPV_KHR_maximal_reconvergence", VYRE_NEWER(MaximalReconvergence, 0)),
    needs("SPV_KHR_quad_control", VYRE_NEWER(QuadControl, 0)),
    needs("SPV_KHR_subgroup_rotate", VYRE_NEWER(SubgroupRotate, 0)),
    needs("SPV_KHR_expect_assume", VYRE_NEWER(ExpectAssume, 0)),
    needs("SPV_KHR_float_controls2", VYRE_NEWER(FloatControls2, 0)),
    needs("SPV_KHR_shader_clock", kSubgroupClock),
    needs("SPV_KHR_workgroup_memory_explicit_layout", VYRE_LAYOUT(workgroupMemoryExplicitLayout)),
    needs("SPV_KHR_untyped_pointers", VYRE_NEWER(UntypedPointers, 0)),
    needs("SPV_KHR_cooperative_matrix", VYRE_NEWER(CooperativeMatrix, 0)),
    needs("SPV_KHR_bfloat16", VYRE_NEWER(Bfloat16, 0)),
    needs("SPV_EXT_float8", VYRE_NEWER(Float8, 0)),
    needs("SPV_EXT_replicated_composites", VYRE_NEWER(ReplicatedComposites, 0)),
    needs("SPV_EXT_shader_atomic_float_add", VYRE_ATOMIC(shaderBufferFloat32AtomicAdd)),
    needs("SPV_EXT_shader_atomic_float_add", VYRE_ATOMIC(shaderBufferFloat64AtomicAdd)),
    needs("SPV_EXT_shader_atomic_float_min_max", VYRE_ATOMIC2(shaderBufferFloat16AtomicMinMax)),
    needs("SPV_EXT_shader_atomic_float_min_max", VYRE_ATOMIC2(shaderBufferFloat32AtomicMinMax)),
    needs("SPV_EXT_shader_atomic_float_min_max", VYRE_ATOMIC2(shaderBufferFloat64AtomicMinMax)),
    needs("SPV_EXT_shader_atomic_float16_add", VYRE_ATOMIC2(shaderBufferFloat16AtomicAdd)),
    needs("SPV_KHR_compute_shader_derivatives", VYRE_DERIVATIVES(computeDerivativeGroupQuads)),
    needs("SPV_KHR_compute_shader_derivatives", VYRE_DERIVATIVES(computeDerivativeGroupLinear)),
    needs("SPV_NV_compute_shader_derivatives", VYRE_DERIVATIVES(computeDerivativeGroupQuads)),
    needs("SPV_NV_compute_shader_derivatives", VYRE_DERIVATIVES(computeDerivativeGroupLinear)),
    needs("SPV_NV_cooperative_matrix", kCooperativeMatrixNv),
    offered("SPV_NV_cooperative_matrix2", newer::kCooperativeMatrix2Extension),
    needs("SPV_NV_tensor_addressing", VYRE_NEWER(CooperativeMatrix2, 5)),
    needs("SPV_NV_cooperative_vector", VYRE_NEWER(CooperativeVector, 0)),
    needs("SPV_NV_raw_access_chains", VYRE_NEWER(RawAccessChains, 0)),
    needs("SPV_NV_shader_atomic_fp16_vector", VYRE_NEWER(AtomicFloat16Vector, 0)),
    needs("SPV_NV_shader_sm_builtins", kSmBuiltins),
    offered("SPV_NV_shader_subgroup_partitioned", VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME),
    needs("SPV_ARM_core_builtins", VYRE_NEWER(CoreBuiltins, 0)),
    needs("SPV_INTEL_shader_integer_functions2", kIntegerFunctions2),
};

/// Further features to enable: those that the backend uses itself, and those that extend a capability above.
constexpr Feature kExtras[] = {
    VYRE_CORE(robustBufferAccess),
    VYRE_V12(scalarBlockLayout),
    VYRE_V12(uniformBufferStandardLayout),
    VYRE_V12(shaderSubgroupExtendedTypes),
    VYRE_V12(shaderSharedInt64Atomics),
    VYRE_V12(timelineSemaphore),
    VYRE_V13(maintenance4),
    VYRE_LAYOUT(workgroupMemoryExplicitLayoutScalarBlockLayout),
    VYRE_OF(Clock, VkPhysicalDeviceShaderClockFeaturesKHR, shaderDeviceClock),
    VYRE_ATOMIC(shaderBufferFloat32Atomics),
    VYRE_ATOMIC(shaderBufferFloat64Atomics),
    VYRE_ATOMIC(shaderSharedFloat32Atomics),
    VYRE_ATOMIC(shaderSharedFloat32AtomicAdd),
    VYRE_ATOMIC(shaderSharedFloat64Atomics),
    VYRE_ATOMIC(shaderSharedFloat64AtomicAdd),
    VYRE_ATOMIC2(shaderBufferFloat16Atomics),
    VYRE_ATOMIC2(shaderSharedFloat16Atomics),
    VYRE_ATOMIC2(shaderSharedFloat16AtomicAdd),
    VYRE_ATOMIC2(shaderSharedFloat16AtomicMinMax),
    VYRE_ATOMIC2(shaderSharedFloat32AtomicMinMax),
    VYRE_ATOMIC2(shaderSharedFloat64AtomicMinMax),
    VYRE_NEWER(SubgroupRotate, 1),
    VYRE_NEWER(CooperativeMatrix2, 0),
    VYRE_NEWER(CooperativeMatrix2, 1),
};

const std::byte* place_of(const FeatureChain& chain, Feature feature) {
  switch (feature.block) {
    case BlockId::Core: return reinterpret_cast<const std::byte*>(&chain.core) + feature.offset;
    case BlockId::V11: return reinterpret_cast<const std::byte*>(&chain.v11) + feature.offset;
    case BlockId::V12: return reinterpret_cast<const std::byte*>(&chain.v12) + feature.offset;
    case BlockId::V13: return reinterpret_cast<const std::byte*>(&chain.v13) + feature.offset;
    default:
      return chain.blocks[static_cast<std::size_t>(feature.block) - std::size_t{4}].bytes.data() + feature.offset;
  }
}

VkBool32 read(const std::byte* place) {
  VkBool32 value = VK_FALSE;
  std::memcpy(&value, place, sizeof(value));
  return value;
}

/// Appends a structure to the chain of structures.
void chain_block(FeatureChain& chain, std::size_t index, VkBaseOutStructure*& last) {
  auto* block = reinterpret_cast<VkBaseOutStructure*>(chain.blocks[index].bytes.data());
  block->sType = kExtensionBlocks[index].type;
  last->pNext = block;
  last = block;
}

bool has(const std::vector<VkExtensionProperties>& there, const char* name) {
  return std::ranges::any_of(
      there, [&](const VkExtensionProperties& each) { return std::strcmp(each.extensionName, name) == 0; });
}

/// The Vulkan extensions of a device.
Result<std::vector<VkExtensionProperties>> extensions_of(const InstanceApi& api, VkPhysicalDevice device) {
  constexpr std::string_view kCall = "vkEnumerateDeviceExtensionProperties";
  std::uint32_t count = 0;
  VYRE_TRY(succeeded(kCall, api.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr)));
  std::vector<VkExtensionProperties> found(count);
  VYRE_TRY(succeeded(kCall, api.EnumerateDeviceExtensionProperties(device, nullptr, &count, found.data())));
  found.resize(count);
  return found;
}

}  // namespace

FeatureChain::FeatureChain() {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  core.pNext = &v11;
  v11.pNext = &v12;
}

Result<void> read_features(const InstanceApi& api, VkPhysicalDevice device, std::uint32_t api_version,
                           FeatureChain& features) {
  VYRE_ASSIGN(const std::vector<VkExtensionProperties> extensions, extensions_of(api, device));
  const bool is_13 = api_version >= VK_API_VERSION_1_3;
  FeatureChain there;
  auto* last_there = reinterpret_cast<VkBaseOutStructure*>(is_13 ? static_cast<void*>(&there.v13) : &there.v12);
  auto* last = reinterpret_cast<VkBaseOutStructure*>(is_13 ? static_cast<void*>(&features.v13) : &features.v12);
  if (is_13) {
    there.v12.pNext = &there.v13;
    features.v12.pNext = &features.v13;
  }
  std::array<bool, FeatureChain::kExtensionBlocks> is_there = {};
  for (std::size_t i = 0; i < FeatureChain::kExtensionBlocks; ++i) {
    // Vulkan forbids asking for a feature in two structures, and Vulkan 1.3's structure has this one too.
    const bool is_in_13 = is_13 && kExtensionBlocks[i].id == BlockId::DotProduct;
    is_there[i] = !is_in_13 && has(extensions, kExtensionBlocks[i].extension);
    if (is_there[i]) chain_block(there, i, last_there);
  }
  api.GetPhysicalDeviceFeatures2(device, &there.core);

  const auto turn_on = [&](Feature feature) {
    const VkBool32 value = read(place_of(there, feature));
    if (value == VK_TRUE) std::memcpy(const_cast<std::byte*>(place_of(features, feature)), &value, sizeof(value));
  };
  for (const std::span<const Requirement> table :
       {std::span<const Requirement>{kCapabilities}, std::span<const Requirement>{kExecutionModes},
        std::span<const Requirement>{kExtensions}}) {
    for (const Requirement& each : table) {
      if (each.kind == Kind::Feature) turn_on(each.feature);
      const bool is_new =
          each.kind == Kind::Extension &&
          std::ranges::find(features.extensions, std::string_view{each.extension}) == features.extensions.end();
      if (is_new && has(extensions, each.extension)) features.extensions.push_back(each.extension);
    }
  }
  for (const Feature extra : kExtras) turn_on(extra);
  for (std::size_t i = 0; i < FeatureChain::kExtensionBlocks; ++i) {
    if (!is_there[i]) continue;
    const std::string_view name = kExtensionBlocks[i].extension;
    if (std::ranges::find(features.extensions, name) == features.extensions.end()) {
      features.extensions.push_back(kExtensionBlocks[i].extension);
    }
    chain_block(features, i, last);
  }
  return {};
}

SpirvSupport spirv_support(const FeatureChain& features, std::uint32_t api_version,
                           const VkPhysicalDeviceSubgroupProperties& subgroup,
                           const VkPhysicalDeviceFloatControlsProperties& controls) {
  const bool has_subgroups = (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  const auto is_met = [&](const Requirement& each) {
    switch (each.kind) {
      case Kind::Nothing: return true;
      case Kind::Version: return api_version >= each.version;
      case Kind::Feature: return read(place_of(features, each.feature)) == VK_TRUE;
      case Kind::Subgroup: return has_subgroups && (subgroup.supportedOperations & each.subgroup) != 0;
      case Kind::Control: return read(reinterpret_cast<const std::byte*>(&controls) + each.control) == VK_TRUE;
      case Kind::Extension:
        return std::ranges::find(features.extensions, std::string_view{each.extension}) != features.extensions.end();
    }
    return false;
  };
  const auto names = [&](std::span<const Requirement> table) {
    std::vector<std::string> met;
    for (const Requirement& each : table) {
      if (is_met(each)) met.emplace_back(each.name);
    }
    std::ranges::sort(met);
    const auto repeated = std::ranges::unique(met);
    met.erase(repeated.begin(), repeated.end());
    return met;
  };
  return {.capabilities = names(kCapabilities),
          .execution_modes = names(kExecutionModes),
          .extensions = names(kExtensions)};
}

SpirvSupport known_spirv_support() {
  const auto names = [](std::span<const Requirement> table) {
    std::vector<std::string> all;
    for (const Requirement& each : table) all.emplace_back(each.name);
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
  };
  return {.capabilities = names(kCapabilities),
          .execution_modes = names(kExecutionModes),
          .extensions = names(kExtensions)};
}

}  // namespace vyre::backends::vulkan
