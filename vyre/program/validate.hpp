#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/interface.hpp>
#include <vyre/program/target.hpp>

namespace vyre::program {

struct ValidationOptions {
  TargetEnvironment target = TargetEnvironment::Vulkan13;
  BlockLayout loosest = BlockLayout::Scalar;  ///< A module whose blocks need looser rules is refused.

  friend bool operator==(const ValidationOptions&, const ValidationOptions&) = default;
};

/// Checks that `words` are a valid SPIR-V module for the target, and says which layout its blocks need.
///
/// `CompileFailed` if they are not, with the first mistake and its place. `Unsupported`, with the name, if the module
/// has a version, capability, extension, instruction or source language that is newer than the validator, which then
/// cannot tell whether it is valid. `InvalidArgument`, naming the limit, for a module for which validation could take
/// too long: more than 64 MiB, an id bound above 4,194,303, or far more blocks, types, functions or nested members than
/// kernels have. Thread safety: may be called concurrently; needs less than 100 KiB of stack.
[[nodiscard]] Result<BlockLayout> validate(std::span<const std::uint32_t> words, const ValidationOptions& options = {});

/// The words of a module in a file. `CompileFailed` if the bytes are not a whole number of words, `InvalidArgument`
/// above 64 MiB.
[[nodiscard]] Result<std::vector<std::uint32_t>> to_words(std::span<const std::byte> bytes);

}  // namespace vyre::program
