#pragma once

#include <spirv/unified1/spirv.hpp>

namespace vyre::program::spirv {

[[nodiscard]] constexpr bool is_atomic(spv::Op op) noexcept {
  return (op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor) || op == spv::OpAtomicFlagTestAndSet ||
         op == spv::OpAtomicFlagClear || op == spv::OpAtomicFAddEXT || op == spv::OpAtomicFMinEXT ||
         op == spv::OpAtomicFMaxEXT;
}

/// Whether an instruction makes a pointer to a part of what another pointer points to.
[[nodiscard]] constexpr bool is_access_chain(spv::Op op) noexcept {
  return op == spv::OpAccessChain || op == spv::OpInBoundsAccessChain;
}

}  // namespace vyre::program::spirv
