#include <vyre/program/glsl/tokens.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <vyre/base/u128.hpp>

namespace vyre::program {
namespace {

constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr bool is_word(char c) noexcept { return is_letter(c) || is_digit(c); }

constexpr bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// The longest symbols first, as the compiler reads them: `a+-b` has two operators, `a++b` has one.
constexpr std::array<std::string_view, 24> kSymbols = {"<<=", ">>=", "++", "--", "&&", "||", "^^", "<<",
                                                       ">>",  "<=",  ">=", "==", "!=", "+=", "-=", "*=",
                                                       "/=",  "%=",  "&=", "|=", "^=", "##", "->", "::"};

// The most file names that are kept. Lines of further files are reported with the last name.
constexpr std::size_t kMaxFiles = 256;

class Cutter {
 public:
  Cutter(std::span<const char> text, std::span<const std::size_t> joins, bool is_source, std::vector<GlslToken>& tokens,
         std::vector<std::string>& files)
      : text_{text.data(), text.size()}, joins_{joins}, is_source_{is_source}, tokens_{tokens}, files_{files} {}

  void cut() {
    while (at_ < text_.size()) {
      if (!is_source_ && std::exchange(at_line_start_, false)) read_line_directive();
      const char c = text_[at_];
      if (c == '\n') {
        emit(GlslTokenKind::NewLine, 1);
        end_line();
      } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
        advance(1);
        space_ = true;
      } else if (is_source_ && c == '/' && peek(1) == '/') {
        advance(std::min(text_.find('\n', at_), text_.size()) - at_);
        space_ = true;
      } else if (is_source_ && c == '/' && peek(1) == '*') {
        skip_comment();
      } else if (is_letter(c)) {
        emit(GlslTokenKind::Identifier, length_while(0, is_word));
        if (is_source_) read_included_name();
      } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
        emit(GlslTokenKind::Number, number_length());
      } else if (is_source_ && c == '"') {
        emit(GlslTokenKind::String, string_length());
      } else {
        emit(GlslTokenKind::Symbol, symbol_length());
      }
    }
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  template <typename Is>
  [[nodiscard]] std::size_t length_while(std::size_t from, const Is& is) const noexcept {
    while (at_ + from < text_.size() && is(text_[at_ + from])) ++from;
    return from;
  }

  void advance(std::size_t count) noexcept {
    at_ += count;
    // For tokens a continued line is one line; for the line numbers of messages it is two.
    while (next_join_ < joins_.size() && joins_[next_join_] <= at_) {
      ++next_join_;
      ++line_;
    }
  }

  void emit(GlslTokenKind kind, std::size_t length) {
    tokens_.push_back(
        {.kind = kind, .text = text_.substr(at_, length), .line = line_, .file = file_, .after_space = space_});
    space_ = false;
    advance(length);
  }

  void end_line() noexcept {
    at_line_start_ = true;
    if (line_after_directive_ != 0) {
      line_ = line_after_directive_;
      line_after_directive_ = 0;
    } else {
      ++line_;
    }
  }

  void skip_comment() noexcept {
    const std::size_t end = text_.find("*/", at_ + 2);
    const std::size_t length = (end == std::string_view::npos ? text_.size() : end + 2) - at_;
    const auto lines = std::ranges::count(text_.substr(at_, length), '\n');
    advance(length);
    line_ += static_cast<std::uint32_t>(lines);
    space_ = true;
  }

  // The length of a number: digits, fraction, exponent and suffix. A sign after a hexadecimal digit is not part of it.
  [[nodiscard]] std::size_t number_length() const noexcept {
    if (text_[at_] == '0' && (peek(1) == 'x' || peek(1) == 'X'))
      return length_while(length_while(2, is_hex), is_letter);
    std::size_t length = length_while(0, is_digit);
    if (peek(length) == '.') length = length_while(length + 1, is_digit);
    if (peek(length) == 'e' || peek(length) == 'E') {
      const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
      if (is_digit(peek(length + 1 + sign))) length = length_while(length + 1 + sign, is_digit);
    }
    return length_while(length, is_letter);
  }

  [[nodiscard]] std::size_t string_length() const noexcept {
    std::size_t length = 1;
    while (at_ + length < text_.size()) {
      const char c = text_[at_ + length];
      if (c == '\n') return length;
      ++length;
      if (c == '"') return length;
      if (c == '\\' && at_ + length < text_.size() && text_[at_ + length] != '\n') ++length;
    }
    return length;
  }

  [[nodiscard]] std::size_t symbol_length() const noexcept {
    const auto* found =
        std::ranges::find_if(kSymbols, [&](std::string_view symbol) { return text_.substr(at_).starts_with(symbol); });
    return found == kSymbols.end() ? 1 : found->size();
  }

  void read_included_name() {
    const std::size_t count = tokens_.size();
    if (!tokens_[count - 1].names("include") || count < 2 || !tokens_[count - 2].is("#")) return;
    const std::size_t blanks = length_while(0, [](char c) { return c == ' ' || c == '\t'; });
    const char open = peek(blanks);
    if (open != '"' && open != '<') return;
    const std::string_view rest = text_.substr(at_ + blanks);
    const std::size_t close = rest.find(open == '<' ? '>' : '"', 1);
    if (close == std::string_view::npos || close > rest.find('\n')) return;
    advance(blanks);
    emit(GlslTokenKind::Included, close + 1);
  }

  void read_line_directive() {
    constexpr std::string_view kLine = "#line ";
    std::string_view line = text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
    if (!line.starts_with(kLine)) return;
    line.remove_prefix(kLine.size());
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::uint64_t number = parse_u64(line.substr(0, digits)).value_or(0);
    line_after_directive_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 0xffff'fffe));
    const std::size_t open = line.find('"');
    if (open == std::string_view::npos || line.size() < open + 2 || line.back() != '"') return;
    const std::string_view name = line.substr(open + 1, line.size() - open - 2);
    const auto known = std::ranges::find(files_, name);
    if (known == files_.end() && files_.size() == kMaxFiles) return;
    file_ = static_cast<std::uint32_t>(known - files_.begin());
    if (known == files_.end()) files_.emplace_back(name);
  }

  std::string_view text_;
  std::span<const std::size_t> joins_;
  bool is_source_;
  std::vector<GlslToken>& tokens_;
  std::vector<std::string>& files_;
  std::size_t at_ = 0;
  std::size_t next_join_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t line_after_directive_ = 0;
  std::uint32_t file_ = 0;
  bool space_ = false;
  bool at_line_start_ = true;
};

/// The text with uniform line ends and, if `join`, with continued lines joined. `joins` gets the places of the joins.
std::vector<char> normalise(std::string_view text, bool join, std::vector<std::size_t>& joins) {
  std::vector<char> result;
  result.reserve(text.size());
  const auto line_end = [&](std::size_t at) -> std::size_t {
    if (at >= text.size()) return 0;
    if (text[at] == '\n') return 1;
    if (text[at] != '\r') return 0;
    return at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t length = line_end(at); length != 0) {
      result.push_back('\n');
      at += length;
    } else if (const std::size_t joined = text[at] == '\\' && join ? line_end(at + 1) : 0; joined != 0) {
      joins.push_back(result.size());
      at += 1 + joined;
    } else {
      result.push_back(text[at]);
      ++at;
    }
  }
  return result;
}

}  // namespace

GlslText GlslText::source(std::string_view text) {
  GlslText result;
  std::vector<std::size_t> joins;
  result.is_source_ = true;
  result.text_ = normalise(text, true, joins);
  Cutter{result.text_, joins, true, result.tokens_, result.files_}.cut();
  return result;
}

GlslText GlslText::preprocessed(std::string_view text) {
  GlslText result;
  std::vector<std::size_t> joins;
  result.text_ = normalise(text, false, joins);
  Cutter{result.text_, joins, false, result.tokens_, result.files_}.cut();
  return result;
}

bool is_glsl_identifier(std::string_view text) noexcept {
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, is_word);
}

}  // namespace vyre::program
