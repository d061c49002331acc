#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vyre::program {

enum class GlslTokenKind : std::uint8_t {
  Identifier,
  Number,
  String,
  Symbol,    ///< An operator or a bracket, the longest that fits; any other byte by itself.
  NewLine,   ///< The end of a line that is not continued.
  Included,  ///< The name after `#include`, with its quotes or angle brackets.
};

struct GlslToken {
  GlslTokenKind kind = GlslTokenKind::Symbol;
  std::string_view text = {};
  std::uint32_t line = 0;
  std::uint32_t file = 0;    ///< Index into the files of the text; 0 is the text itself.
  bool after_space = false;  ///< Whether white space or a comment comes before it.
  bool is(std::string_view symbol) const noexcept { return kind == GlslTokenKind::Symbol && text == symbol; }
  bool names(std::string_view word) const noexcept { return kind == GlslTokenKind::Identifier && text == word; }
};

/// GLSL text split into tokens, accurately enough to count what the compiler will see. Accepts any bytes.
class GlslText {
 public:
  /// Splits text as a person writes it, with comments, strings, continued lines and directives.
  [[nodiscard]] static GlslText source(std::string_view text);
  /// Splits the output of the preprocessor. It has no comments, and quotes are tokens like any others, because the
  /// preprocessor writes strings without their escapes. `#line` sets line and file.
  [[nodiscard]] static GlslText preprocessed(std::string_view text);

  GlslText(GlslText&&) = default;
  GlslText& operator=(GlslText&&) = default;
  GlslText(const GlslText&) = delete;  // the tokens are views into the text
  GlslText& operator=(const GlslText&) = delete;
  ~GlslText() = default;

  [[nodiscard]] const std::vector<GlslToken>& tokens() const noexcept { return tokens_; }
  /// Whether this was made by `source`.
  [[nodiscard]] bool is_source() const noexcept { return is_source_; }
  /// The name of a file that `#line` gave; empty for the text itself.
  [[nodiscard]] std::string_view file(std::uint32_t index) const noexcept { return files_[index]; }

 private:
  GlslText() = default;

  bool is_source_ = false;
  std::vector<char> text_;  // the tokens are views into it, and stay valid when it is moved
  std::vector<GlslToken> tokens_;
  std::vector<std::string> files_ = {""};
};

[[nodiscard]] bool is_glsl_identifier(std::string_view text) noexcept;

}  // namespace vyre::program
