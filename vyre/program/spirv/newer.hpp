#pragma once

#include <cstdint>
#include <string_view>

#include <vyre/program/spirv/grammar.hpp>

/// Enumerants of SPIR-V that the headers of the build do not have yet, with the numbers of the registry.
namespace vyre::program::spirv {

struct NewerEnumerant {
  OperandKind kind;
  std::uint32_t value;
  std::string_view name;
};

inline constexpr NewerEnumerant kNewerEnumerants[] = {
    {OperandKind::Capability, 4212, "Float8EXT"},
    {OperandKind::Capability, 4213, "Float8CooperativeMatrixEXT"},
    {OperandKind::Capability, 4473, "UntypedPointersKHR"},
    {OperandKind::Capability, 5087, "QuadControlKHR"},
    {OperandKind::Capability, 5116, "BFloat16TypeKHR"},
    {OperandKind::Capability, 5117, "BFloat16DotProductKHR"},
    {OperandKind::Capability, 5118, "BFloat16CooperativeMatrixKHR"},
    {OperandKind::Capability, 5394, "CooperativeVectorNV"},
    {OperandKind::Capability, 5404, "AtomicFloat16VectorNV"},
    {OperandKind::Capability, 5414, "RawAccessChainsNV"},
    {OperandKind::Capability, 5430, "CooperativeMatrixReductionsNV"},
    {OperandKind::Capability, 5431, "CooperativeMatrixConversionsNV"},
    {OperandKind::Capability, 5432, "CooperativeMatrixPerElementOperationsNV"},
    {OperandKind::Capability, 5433, "CooperativeMatrixTensorAddressingNV"},
    {OperandKind::Capability, 5434, "CooperativeMatrixBlockLoadsNV"},
    {OperandKind::Capability, 5435, "CooperativeVectorTrainingNV"},
    {OperandKind::Capability, 5439, "TensorAddressingNV"},
    {OperandKind::Capability, 6022, "CooperativeMatrixKHR"},
    {OperandKind::Capability, 6024, "ReplicatedCompositesEXT"},
    {OperandKind::Capability, 6029, "FloatControls2"},
    {OperandKind::ExecutionMode, 5088, "QuadDerivativesKHR"},
    {OperandKind::ExecutionMode, 5089, "RequireFullQuadsKHR"},
    {OperandKind::ExecutionMode, 6023, "MaximallyReconvergesKHR"},
    {OperandKind::ExecutionMode, 6028, "FPFastMathDefault"},
};

}  // namespace vyre::program::spirv
