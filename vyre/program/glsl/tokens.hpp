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
  Included,  ///< The name behind `#include`, with its quotes or angle brackets.
};

struct GlslToken {
  GlslTokenKind kind = GlslTokenKind::Symbol;
  std::string_view text = {};
  std::uint32_t line = 0;
  std::uint32_t file = 0;    ///< Index into the files of the text; 0 is the text itself.
  bool after_space = false;  ///< White space or a comment stands before it.
  bool is(std::string_view symbol) const noexcept { return kind == GlslTokenKind::Symbol && text == symbol; }
  bool names(std::string_view word) const noexcept { return kind == GlslTokenKind::Identifier && text == word; }
};

/// GLSL text cut into tokens, enough of the language to count what is in it. Any bytes can be cut.
class GlslText {
 public:
  /// As a person writes it: with comments, strings, continued lines and directives.
  [[nodiscard]] static GlslText source(std::string_view text);
  /// As the preprocessor leaves it. Nothing in it hides anything: quotes and slashes are tokens like any other, since
  /// the compiler writes strings with their escapes undone. `#line` sets line and file.
  [[nodiscard]] static GlslText preprocessed(std::string_view text);

  GlslText(GlslText&&) = default;
  GlslText& operator=(GlslText&&) = default;
  GlslText(const GlslText&) = delete;  // the tokens are views into the text
  GlslText& operator=(const GlslText&) = delete;
  ~GlslText() = default;

  [[nodiscard]] const std::vector<GlslToken>& tokens() const noexcept { return tokens_; }
  /// Whether the text is as a person writes it.
  [[nodiscard]] bool is_source() const noexcept { return is_source_; }
  /// The name of a file that `#line` gave; empty for the text itself.
  [[nodiscard]] std::string_view file(std::uint32_t index) const noexcept { return files_[index]; }

 private:
  GlslText() = default;

  bool is_source_ = false;
  std::vector<char> text_;  // what the tokens point into: moving it leaves them valid
  std::vector<GlslToken> tokens_;
  std::vector<std::string> files_ = {""};
};

[[nodiscard]] bool is_glsl_identifier(std::string_view text) noexcept;

}  // namespace vyre::program
