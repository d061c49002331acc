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
/// The most macros that may be called under another name: passed by name, or pasted together with `##`.
inline constexpr std::size_t kMaxGlslMacrosByName = 256;

/// Bounds what the macros of a kernel can expand to, without expanding them.
///
/// The size and the cost of a macro are affine functions of the sizes of its arguments. If a name has several
/// definitions, all count, because any of them may be in force anywhere. A token longer than 16 bytes counts as
/// several. A token counts once more for each call that it is an argument of, because the compiler copies it. The given
/// texts must outlive this object.
class GlslMacroBound {
 public:
  /// Adds a definition from outside of the text, as if by `#define name value`.
  void define(std::string_view name, std::string_view value);
  /// Adds all definitions of a text. `file` is its name in messages. `InvalidArgument` for more parameters than the
  /// limit.
  [[nodiscard]] Result<void> collect(const GlslText& text, std::string_view file);

  /// A bound for the size to which a text expands. Precondition: all definitions were added.
  ///
  /// `InvalidArgument`, with file and line, if the bound exceeds the limits or cannot be computed: for macros that call
  /// themselves through others, that begin a call without ending it, or that delay their expansion.
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
    bool is_callable = false;       ///< Whether its expansion may end in the name of a function-like macro.
    std::vector<bool> defers = {};  ///< By parameter: whether it is followed by something that may expand to nothing.
    std::size_t depth = 0;
    Value object = {};
    Value call = {};
    std::vector<Definition> definitions = {};
  };

  /// The tokens whose expansion is being bounded: the body of a definition, an argument in it, or text.
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

  std::deque<GlslText> given_;  // the definitions from outside
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, Macro> macros_;
  std::unordered_set<std::string_view> spellings_;  // the tokens that `##` may join
  std::vector<std::string_view> passed_;            // function-like macros that are named somewhere without arguments
  std::vector<std::string_view> pastable_;
  std::vector<const GlslText*> texts_;
  bool has_paste_ = false;
  bool is_gathered_ = false;
};

}  // namespace vyre::program
