#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <vyre/base/error.hpp>
#include <vyre/program/glsl/tokens.hpp>

namespace vyre::program {

/// What the compiler is not asked to do. It has no limits of its own against running out of stack, memory or time;
/// these stay several times below where a thread with 256 MiB of stack gives up, and far above any kernel.
inline constexpr std::size_t kMaxGlslBytes = std::size_t{1} << 20;  ///< Of one text.
inline constexpr std::size_t kMaxGlslTokenBytes = 256;              ///< Of a name or number; 1,024 of a string.
inline constexpr std::size_t kMaxGlslTokens = 500'000;              ///< After macros and includes.
inline constexpr std::size_t kMaxGlslBrackets = 256;                ///< Open at once.
inline constexpr std::size_t kMaxGlslStatements = 256;              ///< In each other, or in one `else if` ladder.
inline constexpr std::size_t kMaxGlslOperators = 4'096;             ///< Above each other in one expression.
inline constexpr std::size_t kMaxGlslListLength = 32'768;           ///< Separated by commas.
inline constexpr std::size_t kMaxGlslSubscripts = 16;               ///< One behind the other.
inline constexpr std::size_t kMaxGlslFunctions = 1'024;             ///< Declared or defined.
inline constexpr std::size_t kMaxGlslCases = 8'192;                 ///< Of all switches.
inline constexpr std::uint64_t kMaxGlslMembers = 4'096;             ///< Of a structure, those of its members included.
inline constexpr std::uint64_t kMaxGlslConstantElements = 65'536;   ///< Of one constant array or structure.
inline constexpr std::uint64_t kMaxGlslConstantCopies = 4'194'304;  ///< Elements of all constants, as often as used.

/// Checks a text before it is cut into tokens: its size, and bytes that are zero.
[[nodiscard]] Result<void> check_glsl_bytes(std::string_view source, std::string_view file);

/// Checks the length of the tokens of a source, beyond which the preprocessor cuts them anew.
[[nodiscard]] Result<void> check_glsl_tokens(const GlslText& text, std::string_view file);

/// Checks the shape of a text before the compiler sees it: how deep brackets, statements, operators and types go, and
/// how much the constants and structures in it unfold to. In a text that is not preprocessed, directives are skipped
/// and macros are names.
[[nodiscard]] Result<void> check_glsl_shape(const GlslText& text, std::string_view file);

/// Checks a text that stands for itself: all of the above, and what its macros expand to.
///
/// Each of these is `InvalidArgument` with file, line, value and limit: "kernel.comp:3: brackets nest 257 deep, the
/// limit is 256". They read the text once or twice, need little stack, and may be called concurrently.
[[nodiscard]] Result<void> check_glsl_limits(std::string_view source, std::string_view file = "kernel.comp");

}  // namespace vyre::program
