#pragma once

#include <cstdint>
#include <string_view>

#include <vyre/base/error.hpp>

namespace glslang {
class TIntermediate;
}

namespace vyre::program {

inline constexpr std::uint64_t kMaxGlslElements = 131'072;  ///< Handled by operations on whole arrays and structures.
inline constexpr std::uint64_t kMaxGlslConstants = 16'384;  ///< Different constants.
inline constexpr std::uint64_t kMaxGlslConstantUses = 16'777'216;  ///< Elements of all constants, counted for each use.
inline constexpr std::uint64_t kMaxGlslCompositeElements =
    65'000;  ///< Elements of one constant: the length of an instruction has 16 bits.
inline constexpr std::uint64_t kMaxGlslCallSteps =
    50'000'000;  ///< Paths through the call graph, times the number of calls.

/// Checks the syntax tree before the compiler links it and writes the module. These steps could take long: they expand
/// comparisons and copies of arrays element by element, search each constant among all others, and follow each path
/// through the calls.
///
/// `InvalidArgument`, with file and line, if a limit is exceeded; `CompileFailed` for a function that calls itself. The
/// stack that this needs grows with the depth of the tree.
[[nodiscard]] Result<void> check_glsl_tree(const glslang::TIntermediate& tree, std::string_view file);

}  // namespace vyre::program
