#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/program/hash.hpp>

namespace vyre::program {

/// Keeps the SPIR-V that GLSL was compiled to, so that the same text need not be compiled again.
///
/// The key covers all that the words depend on: the text, the files that it may include, the options and the compiler.
/// Thread safety: all members may be called concurrently.
class SpirvCache {
 public:
  virtual ~SpirvCache() = default;
  /// The words that were put under the key. They are validated as any other module is.
  [[nodiscard]] virtual std::optional<std::vector<std::uint32_t>> find(const Hash128& key) = 0;
  virtual void put(const Hash128& key, std::span<const std::uint32_t> words) = 0;
};

}  // namespace vyre::program
