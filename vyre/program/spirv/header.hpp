#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <vyre/base/error.hpp>

namespace vyre::program::spirv {

/// Magic number, version, generator, id bound, schema.
inline constexpr std::size_t kHeaderWords = 5;
/// The largest id bound that is accepted: the limit of the SPIR-V specification.
inline constexpr std::uint32_t kMaxIdBound = 0x3f'ffff;
inline constexpr std::size_t kMaxModuleBytes = std::size_t{64} << 20;

/// Checks the words before the first instruction. `CompileFailed` if they are not the header of a module,
/// `InvalidArgument` beyond `kMaxModuleBytes` or `kMaxIdBound`.
[[nodiscard]] Result<void> check_header(std::span<const std::uint32_t> words);

}  // namespace vyre::program::spirv
