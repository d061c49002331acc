#include <vyre/program/glsl/limits.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/glsl/macros.hpp>
#include <vyre/program/saturating.hpp>

namespace vyre::program {
namespace {

constexpr std::size_t kMaxStringBytes = 1'024;

bool is_control(const GlslToken& token) {
  constexpr std::array<std::string_view, 5> kControls = {"if", "for", "while", "do", "switch"};
  return token.kind == GlslTokenKind::Identifier && std::ranges::find(kControls, token.text) != kControls.end();
}

/// Whether a bracket after this token holds arguments, so that its commas separate them and are not operators.
bool is_called(const GlslToken& token) {
  constexpr std::array<std::string_view, 6> kWords = {"if", "while", "switch", "return", "case", "else"};
  if (token.kind == GlslTokenKind::Identifier) return std::ranges::find(kWords, token.text) == kWords.end();
  return token.is("]") || token.is(")");
}

/// Whether a name is that of a built-in scalar, vector or matrix.
bool is_plain_type(const GlslToken& token) {
  constexpr std::array<std::string_view, 26> kTypes = {
      "float",  "double", "int",    "uint",   "bool",   "vec",    "ivec",   "uvec",   "bvec",
      "dvec",   "mat",    "dmat",   "i8vec",  "u8vec",  "i16vec", "u16vec", "i32vec", "u32vec",
      "i64vec", "u64vec", "f16vec", "f32vec", "f64vec", "f16mat", "f32mat", "f64mat"};
  return token.kind == GlslTokenKind::Identifier && std::ranges::any_of(kTypes, [&](std::string_view type) {
           return token.text.starts_with(type) &&
                  token.text.find_first_not_of("0123456789x_t", type.size()) == std::string_view::npos;
         });
}

/// Walks over the tokens once. Keeps open brackets and statements on a stack.
class Shape {
 public:
  Shape(const GlslText& text, std::string_view file) : text_{text}, file_{file} {}

  Result<void> check() {
    tokens_ = relevant(text_);
    if (tokens_.size() > kMaxGlslTokens) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: the text has {} tokens, the limit is {}", file_, tokens_.size(), kMaxGlslTokens));
    }
    match_subscripts();
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const GlslToken& token = tokens_[at_];
      end_ladder(token);
      switch (token.kind) {
        case GlslTokenKind::Identifier: VYRE_TRY(see_name(token)); break;
        case GlslTokenKind::Symbol: VYRE_TRY(see_symbol(token)); break;
        case GlslTokenKind::Number:
          if (constant_ && constant_->has_value) constant_->elements = saturating_add(constant_->elements, 1);
          break;
        case GlslTokenKind::String:
        case GlslTokenKind::NewLine:
        case GlslTokenKind::Included: break;
      }
    }
    return {};
  }

 private:
  struct Level {
    char open = '{';
    bool is_list = false;  ///< Whether commas separate items here.
    bool is_initialiser = false;
    bool is_ended = false;      ///< Whether a statement has ended, so that only `else` can continue it.
    std::size_t postfixes = 0;  ///< Members, subscripts and calls after the current operand.
    std::size_t most_postfixes = 0;
    std::size_t operators = 0;  ///< Operators in the current expression.
    std::size_t inner = 0;      ///< The depth of its deepest bracket.
    std::size_t deepest = 0;    ///< The greatest depth of the expressions before it.
    std::size_t commas = 0;
    std::size_t statements = 0;  ///< Statements that have begun and not ended.
    std::size_t subscripts = 0;
    std::optional<std::string_view> type = {};  ///< The structure, if this is its list of members.
    std::uint64_t members = 0;
    std::uint64_t member_size = 1;
  };

  struct Constant {
    std::size_t level = 0;
    std::string_view name = {};
    std::size_t subscripts = 0;
    bool is_plain = false;  ///< Whether it is a scalar, vector or matrix, and not an array or structure.
    bool has_value = false;
    std::uint64_t elements = 0;
  };

  struct Known {
    std::uint64_t elements = 1;
    std::size_t subscripts = 0;
  };

  static std::vector<GlslToken> relevant(const GlslText& text) {
    std::vector<GlslToken> kept;
    kept.reserve(text.tokens().size());
    bool is_line_start = true;
    bool is_directive = false;
    for (const GlslToken& token : text.tokens()) {
      if (token.kind == GlslTokenKind::NewLine) {
        is_line_start = true;
        is_directive = false;
        continue;
      }
      if (text.is_source() && is_line_start && token.is("#")) is_directive = true;
      is_line_start = false;
      if (!is_directive) kept.push_back(token);
    }
    return kept;
  }

  /// Finds for each `[` the token after its `]`.
  void match_subscripts() {
    behind_.assign(tokens_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      if (tokens_[at].is("[")) open.push_back(at);
      if (!tokens_[at].is("]") || open.empty()) continue;
      behind_[open.back()] = at + 1;
      open.pop_back();
    }
  }

  std::unexpected<Error> refuse(const GlslToken& token, std::string_view what) const {
    const std::string_view file = text_.file(token.file);
    return fail(ErrorCode::InvalidArgument, fmt::format("{}:{}: {}", file.empty() ? file_ : file, token.line, what));
  }

  Level& level() { return levels_.back(); }

  /// An upper bound for the depth of the current expression's tree.
  static std::size_t depth(const Level& here) { return here.operators + here.inner + here.most_postfixes; }

  static void begin_expression(Level& here) {
    here.operators = here.inner = here.subscripts = here.postfixes = here.most_postfixes = 0;
  }

  void add_postfix() { level().most_postfixes = std::max(level().most_postfixes, ++level().postfixes); }

  [[nodiscard]] const GlslToken* before() const { return at_ == 0 ? nullptr : &tokens_[at_ - 1]; }
  [[nodiscard]] const GlslToken* behind() const { return at_ + 1 < tokens_.size() ? &tokens_[at_ + 1] : nullptr; }

  [[nodiscard]] bool is_before(std::string_view symbol) const { return before() != nullptr && before()->is(symbol); }

  void end_ladder(const GlslToken& token) {
    Level& here = level();
    if (!here.is_ended) return;
    here.is_ended = false;
    if (token.names("else")) return;
    statements_ -= here.statements;
    here.statements = 0;
  }

  void end_statement() {
    Level& here = level();
    begin_expression(here);
    here.deepest = here.commas = 0;
    here.is_ended = true;
    is_shared_ = false;
    if (!here.type) return;
    here.members = saturating_add(here.members, here.member_size);
    here.member_size = 1;
  }

  Result<void> check_operators(const GlslToken& token) {
    const Level& here = level();
    const std::size_t deepest = std::max(here.deepest, depth(here)) + (here.is_list ? 0 : here.commas);
    if (deepest <= kMaxGlslOperators) return {};
    return refuse(token,
                  fmt::format("an expression is {} operators deep, the limit is {}", deepest, kMaxGlslOperators));
  }

  Result<void> see_name(const GlslToken& token) {
    if (is_control(token)) {
      ++level().statements;
      if (++statements_ > kMaxGlslStatements) {
        return refuse(token, fmt::format("statements nest {} deep, the limit is {}", statements_, kMaxGlslStatements));
      }
    } else if (token.text == "case" && ++cases_ > kMaxGlslCases) {
      return refuse(token, fmt::format("switches have {} cases, the limit is {}", cases_, kMaxGlslCases));
    } else if (token.text == "shared") {
      is_shared_ = true;
    } else if (token.text == "const") {
      constant_ = Constant{.level = levels_.size(), .is_plain = before() != nullptr && is_plain_type(*before())};
    }

    if (const auto found = structures_.find(token.text); found != structures_.end()) {
      if (level().type) level().member_size = std::max(level().member_size, found->second);
      if (constant_ && !constant_->has_value) constant_->is_plain = false;
    } else if (constant_ && !constant_->has_value && constant_->level == levels_.size()) {
      constant_->name = token.text;
      constant_->is_plain = constant_->is_plain || is_plain_type(token);
    }
    if (const auto found = constants_.find(token.text); found != constants_.end()) {
      const std::uint64_t elements =
          subscripts_behind() < found->second.subscripts || found->second.subscripts == 0 ? found->second.elements : 1;
      if (constant_ && constant_->has_value) constant_->elements = saturating_add(constant_->elements, elements);
      return copy_constants(token, elements);
    }
    return {};
  }

  [[nodiscard]] std::size_t subscripts_behind() const {
    std::size_t count = 0;
    for (std::size_t at = at_ + 1; at < tokens_.size() && tokens_[at].is("[") && count < kMaxGlslSubscripts; ++count) {
      if (behind_[at] == 0) break;
      at = behind_[at];
    }
    return count;
  }

  Result<void> copy_constants(const GlslToken& token, std::uint64_t elements) {
    copied_ = saturating_add(copied_, elements);
    if (copied_ <= kMaxGlslConstantCopies) return {};
    return refuse(token, fmt::format("constants are copied {} elements at a time, the limit is {} in all", copied_,
                                     kMaxGlslConstantCopies));
  }

  Result<void> end_constant(const GlslToken& token) {
    if (constant_->has_value && (!constant_->is_plain || constant_->subscripts != 0)) {
      if (constant_->elements > kMaxGlslConstantElements) {
        return refuse(token, fmt::format("constant '{}' has {} elements, the limit is {}", constant_->name,
                                         constant_->elements, kMaxGlslConstantElements));
      }
      Known& known = constants_[constant_->name];
      known.elements = std::max(known.elements, constant_->elements);
      known.subscripts = std::max(known.subscripts, constant_->subscripts);
    }
    constant_->has_value = false;
    constant_->elements = 0;
    return {};
  }

  Result<void> see_symbol(const GlslToken& token) {
    const char c = token.text.size() == 1 ? token.text[0] : '\0';
    if (c == '(' || c == '[' || c == '{') return open(token, c);
    if (c == ')' || c == ']' || c == '}') return close(token, c);
    if (c == ',') return see_comma(token);
    if (c == ';') return see_semicolon(token);
    if (c == '=' && constant_ && constant_->level == levels_.size()) constant_->has_value = true;
    if (c == '.') {
      add_postfix();
    } else {
      ++level().operators;
      level().postfixes = 0;
    }
    return check_operators(token);
  }

  Result<void> see_comma(const GlslToken& token) {
    Level& here = level();
    here.deepest = std::max(here.deepest, depth(here));
    begin_expression(here);
    if (++here.commas >= kMaxGlslListLength) {
      return refuse(token, fmt::format("a list has {} elements, the limit is {}", here.commas + 1, kMaxGlslListLength));
    }
    if (here.type) here.members = saturating_add(here.members, here.member_size);
    if (constant_ && constant_->level == levels_.size()) VYRE_TRY(end_constant(token));
    return check_operators(token);
  }

  Result<void> see_semicolon(const GlslToken& token) {
    if (constant_ && constant_->level >= levels_.size()) {
      VYRE_TRY(end_constant(token));
      constant_.reset();
    }
    if (level().open == '{') {
      if (levels_.size() == 1 && is_before(")")) VYRE_TRY(count_function(token));
      end_statement();
      return {};
    }
    // A semicolon between the parts of a loop's head.
    begin_expression(level());
    level().deepest = level().commas = 0;
    return {};
  }

  Result<void> count_function(const GlslToken& token) {
    if (++functions_ <= kMaxGlslFunctions) return {};
    return refuse(token, fmt::format("the text has {} functions, the limit is {}", functions_, kMaxGlslFunctions));
  }

  Result<void> open(const GlslToken& token, char c) {
    Level made{.open = c};
    if (c == '(') made.is_list = before() != nullptr && is_called(*before());
    if (c == '[' || (c == '(' && made.is_list)) {
      add_postfix();
      VYRE_TRY(check_operators(token));
    }
    if (c == '[') {
      level().subscripts = is_before("]") ? level().subscripts + 1 : 1;
      if (level().subscripts > kMaxGlslSubscripts) {
        return refuse(token, fmt::format("{} subscripts follow each other, the limit is {}", level().subscripts,
                                         kMaxGlslSubscripts));
      }
      if (constant_ && !constant_->has_value && constant_->level == levels_.size()) {
        ++constant_->subscripts;
      }
    }
    if (c == '{') {
      made.is_list = true;
      made.is_initialiser = is_before("=") || level().is_initialiser;
      if (!made.is_initialiser && levels_.size() == 1 && is_before(")")) VYRE_TRY(count_function(token));
      if (!made.is_initialiser && before() != nullptr && before()->kind == GlslTokenKind::Identifier &&
          !is_control(*before()) && !before()->names("else")) {
        made.type = before()->text;
      }
      // glslang can handle an empty initialiser `{}` of shared memory, but not of constants or inside another one.
      const bool is_zeros = is_shared_ && !constant_ && !level().is_initialiser;
      if (made.is_initialiser && !is_zeros && behind() != nullptr && behind()->is("}")) {
        return refuse(token, "an initialiser has 0 elements, it needs at least 1");
      }
    }
    levels_.push_back(made);
    if (levels_.size() - 1 > kMaxGlslBrackets) {
      return refuse(token, fmt::format("brackets nest {} deep, the limit is {}", levels_.size() - 1, kMaxGlslBrackets));
    }
    return {};
  }

  Result<void> close(const GlslToken& token, char c) {
    // A closing bracket without an opening one: the text is wrong, and the compiler stops here.
    if (levels_.size() == 1) return {};
    if (constant_ && constant_->level == levels_.size()) constant_.reset();
    const Level closed = level();
    statements_ -= closed.statements;
    levels_.pop_back();
    if (c == '}' && closed.type) VYRE_TRY(end_structure(token, closed));
    if (closed.open == '{' && !closed.is_initialiser) {
      // After a structure its variables may follow; ending the statement here does them no harm.
      end_statement();
      return {};
    }
    const std::size_t deepest = std::max(closed.deepest, depth(closed)) + (closed.is_list ? 0 : closed.commas) + 1;
    level().inner = std::max(level().inner, deepest);
    return check_operators(token);
  }

  Result<void> end_structure(const GlslToken& token, const Level& closed) {
    if (closed.members > kMaxGlslMembers) {
      return refuse(token, fmt::format("structure '{}' has {} members, those of its members included, the limit is {}",
                                       *closed.type, closed.members, kMaxGlslMembers));
    }
    std::uint64_t& known = structures_[*closed.type];
    known = std::max({known, closed.members, std::uint64_t{1}});
    return {};
  }

  const GlslText& text_;
  std::string_view file_;
  std::vector<GlslToken> tokens_;
  std::vector<std::size_t> behind_;
  std::size_t at_ = 0;
  std::vector<Level> levels_ = {Level{.is_list = true}};
  std::size_t statements_ = 0;
  std::size_t functions_ = 0;
  std::size_t cases_ = 0;
  std::uint64_t copied_ = 0;
  std::optional<Constant> constant_;
  bool is_shared_ = false;  ///< Whether the current declaration is of shared memory.
  std::unordered_map<std::string_view, std::uint64_t> structures_;
  std::unordered_map<std::string_view, Known> constants_;
};

}  // namespace

Result<void> check_glsl_bytes(std::string_view source, std::string_view file) {
  if (source.size() > kMaxGlslBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: the text has {} bytes, the limit is {}", file, source.size(), kMaxGlslBytes));
  }
  if (const std::size_t at = source.find('\0'); at != std::string_view::npos) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}:{}: byte {} of the text is zero, it needs to be text", file,
                                                        std::ranges::count(source.substr(0, at), '\n') + 1, at));
  }
  return {};
}

Result<void> check_glsl_tokens(const GlslText& text, std::string_view file) {
  for (const GlslToken& token : text.tokens()) {
    const std::size_t limit = token.kind == GlslTokenKind::String || token.kind == GlslTokenKind::Included
                                  ? kMaxStringBytes
                                  : kMaxGlslTokenBytes;
    if (token.text.size() <= limit) continue;
    return fail(ErrorCode::InvalidArgument, fmt::format("{}:{}: a token has {} bytes, the limit is {}", file,
                                                        token.line, token.text.size(), limit));
  }
  return {};
}

Result<void> check_glsl_shape(const GlslText& text, std::string_view file) { return Shape{text, file}.check(); }

Result<void> check_glsl_limits(std::string_view source, std::string_view file) {
  VYRE_TRY(check_glsl_bytes(source, file));
  const GlslText text = GlslText::source(source);
  VYRE_TRY(check_glsl_tokens(text, file));
  GlslMacroBound bound;
  VYRE_TRY(bound.collect(text, file));
  VYRE_TRY(bound.weigh(text, file));
  return check_glsl_shape(text, file);
}

}  // namespace vyre::program
