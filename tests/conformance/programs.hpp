#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vyre/program/program.hpp>

#include <backends/fake/fake_backend.hpp>

/// The suite's own programs, each twice: in GLSL for real devices, in C++ for those that run functions.
namespace vyre::tests {

using Defines = std::vector<std::pair<std::string, std::string>>;

/// One of them, by name. Those with sizes or types to be chosen take them as `defines`.
[[nodiscard]] program::Program suite_program(std::string_view name, const Defines& defines = {});

/// The same ones as functions, by the same names.
[[nodiscard]] std::map<std::string, backends::fake::Kernel> suite_kernels();

/// A program `separate_buffers` that adds 1, 2, 3 … to the first words of `count` buffers: `per_set` to a set, from
/// set `first_set` on.
[[nodiscard]] program::Program separate_buffers_program(std::uint32_t count, std::uint32_t per_set,
                                                        std::uint32_t first_set = 0);

/// A type that a specialisation constant can have, with the program `spec_<type>` that writes its value as two words:
/// integers are extended to 64 bits, 16 bit floats to 32.
struct SpecType {
  std::string_view type = {};
  std::string_view literal = {};     ///< Of the default.
  std::string_view low = {};         ///< GLSL of the first word.
  std::string_view high = {};        ///< GLSL of the second word.
  std::string_view capability = {};  ///< What a device must have for it.
  std::uint64_t default_words = 0;
  std::uint64_t bits = 0;  ///< Another value, as it is given to a pipeline.
  std::uint64_t words = 0;
};

[[nodiscard]] std::span<const SpecType> spec_types();
[[nodiscard]] program::Program spec_program(const SpecType& type);

/// Below what lavapipe cuts off, which is 65,535 for all loops of an invocation together.
inline constexpr std::uint32_t kSpinIterations = 50'000;
inline constexpr std::uint32_t kSpinGroups = 1'000;

/// What `spin` writes.
[[nodiscard]] std::uint32_t spun(std::uint32_t seed);

/// The trips of the loop in `long_loop`, of which every invocation makes so many.
inline constexpr std::uint32_t kLongLoop = 10'000;

/// What `long_loop` writes.
[[nodiscard]] std::uint32_t looped(std::uint32_t seed);

/// What `visit` adds to the element of an invocation.
[[nodiscard]] constexpr std::uint32_t visit_mark(std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept {
  return 1 + x + (y << 10) + (z << 20);
}

/// What one run of `step` makes of a word.
[[nodiscard]] constexpr std::uint32_t stepped(std::uint32_t value, std::uint32_t addend) noexcept {
  return value * 3 + addend;
}

}  // namespace vyre::tests
