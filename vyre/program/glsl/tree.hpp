#pragma once

#include <cstdint>
#include <string_view>

#include <vyre/base/error.hpp>

namespace glslang {
class TIntermediate;
}

namespace vyre::program {

inline constexpr std::uint64_t kMaxGlslElements = 131'072;  ///< Handled by operations on whole arrays and structures.
inline constexpr std::uint64_t kMaxGlslConstants = 16'384;  ///< Different ones.
inline constexpr std::uint64_t kMaxGlslConstantUses =
    16'777'216;  ///< Elements of constants, as often as they are used.
inline constexpr std::uint64_t kMaxGlslCompositeElements =
    65'000;  ///< Of one constant: an instruction has 16 bits of length.
inline constexpr std::uint64_t kMaxGlslCallSteps = 50'000'000;  ///< Ways through the calls, times the calls.

/// Checks what the compiler has read, before it links and writes it: those steps unfold comparisons and copies of
/// arrays element by element, look up each constant among all others, and follow each way through the calls.
///
/// `InvalidArgument` with file and line for what exceeds a limit, `CompileFailed` for a function that calls itself.
/// Needs a stack in proportion to the depth of the tree.
[[nodiscard]] Result<void> check_glsl_tree(const glslang::TIntermediate& tree, std::string_view file);

}  // namespace vyre::program
