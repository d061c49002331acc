#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/glsl/tokens.hpp>

namespace vyre::program {

inline constexpr std::uint64_t kMaxGlslExpansion = 1'000'000;
inline constexpr std::uint64_t kMaxGlslDirectiveExpansion = 16'384;
inline constexpr std::size_t kMaxGlslMacroDepth = 64;
inline constexpr std::size_t kMaxGlslMacroParameters = 256;
/// Macros that stand for others: passed by name, or made of pieces.
inline constexpr std::size_t kMaxGlslMacrosByName = 256;

/// Bounds what the macros of a kernel can expand to, without expanding them.
///
/// Each macro has a size and a cost that are affine in the sizes of its arguments. All definitions of a name count, as
/// if any of them could be in force anywhere. Tokens longer than 16 bytes count as several. Every token is counted
/// again for each call it is an argument of, since the compiler copies it. The texts given must outlive the bound.
class GlslMacroBound {
 public:
  /// Takes in `#define name value` from outside.
  void define(std::string_view name, std::string_view value);
  /// Takes in all definitions of a text. `file` is its name in messages.
  /// `InvalidArgument` for more parameters than the limit.
  [[nodiscard]] Result<void> collect(const GlslText& text, std::string_view file);

  /// What a text expands to, when everything has been collected.
  ///
  /// `InvalidArgument`, with file and line, if that exceeds the limits, or cannot be known: macros that lead back to
  /// themselves through others, that open a call and leave it open, or that put off their expansion.
  [[nodiscard]] Result<std::uint64_t> weigh(const GlslText& text, std::string_view file);

 private:
  using Tokens = std::span<const GlslToken>;

  struct Place {
    std::string_view file = {};
    std::uint32_t line = 0;
  };

  /// base + Σ per[i] × the size of argument i
  struct Form {
    std::uint64_t base = 0;
    std::vector<std::uint64_t> per = {};

    void add(const Form& other, std::uint64_t times = 1);
    void add_parameter(std::size_t index, std::uint64_t times);
    void keep_larger(const Form& other);
  };

  struct Value {
    Form size = {};
    Form cost = {};

    void add(const Value& other);
    void add_tokens(std::uint64_t count);
  };

  struct Definition {
    bool is_function = false;
    std::vector<std::string_view> parameters = {};
    std::vector<GlslToken> body = {};
    Place place = {};
  };

  struct Macro {
    enum class State : std::uint8_t { New, Open, Done };
    State state = State::New;
    bool has_function = false;
    bool has_object = false;
    bool is_callable = false;       ///< May end in the name of a function-like macro.
    std::vector<bool> defers = {};  ///< Per parameter: something that may vanish follows it.
    std::size_t depth = 0;
    Value object = {};
    Value call = {};
    std::vector<Definition> definitions = {};
  };

  /// A stretch of tokens being weighed: the body of a definition, an argument in it, or text.
  struct Stretch {
    const Definition* definition = nullptr;  ///< Null for text, which is not scanned again.
    Macro* macro = nullptr;
    std::string_view name = {};
    Place place = {};
    std::size_t depth = 0;
  };

  [[nodiscard]] static std::unexpected<Error> refuse(const Place& place, std::string message);
  [[nodiscard]] static std::size_t close_of(Tokens tokens, std::size_t open);
  [[nodiscard]] Macro* find(std::string_view name);
  [[nodiscard]] const Macro* other_name_of(const Macro& macro);
  [[nodiscard]] bool can_be_pasted(std::string_view name) const;
  void gather();
  void gather_spellings(Tokens tokens);

  [[nodiscard]] Result<void> resolve(std::string_view name, Macro& macro, const Stretch& from);
  [[nodiscard]] Result<Value> weigh_tokens(Tokens tokens, const Stretch& in);
  [[nodiscard]] Result<std::size_t> weigh_parameter(Tokens tokens, std::size_t at, std::size_t index, const Stretch& in,
                                                    Value& sum);
  [[nodiscard]] Result<std::size_t> weigh_paste(Tokens tokens, std::size_t at, const Stretch& in, Value& sum);
  [[nodiscard]] Result<std::size_t> weigh_name(Tokens tokens, std::size_t at, std::string_view name, const Stretch& in,
                                               Value& sum);
  [[nodiscard]] Result<std::size_t> weigh_call(Tokens tokens, std::size_t open, const Macro& macro, const Stretch& in,
                                               Value& sum);
  [[nodiscard]] Result<std::size_t> weigh_any_call(Tokens tokens, std::size_t open, const Stretch& in, Value& sum);
  [[nodiscard]] bool vanishes(const GlslToken& token, const Stretch& in);
  void note_ending(Tokens body, Macro& macro, const Definition& definition);

  std::deque<GlslText> given_;  // the values from outside
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, Macro> macros_;
  std::unordered_set<std::string_view> spellings_;  // what `##` may be given
  std::vector<std::string_view> passed_;            // function-like macros that stand somewhere without arguments
  std::vector<std::string_view> pastable_;
  std::vector<const GlslText*> texts_;
  bool has_paste_ = false;
  bool is_gathered_ = false;
};

}  // namespace vyre::program
