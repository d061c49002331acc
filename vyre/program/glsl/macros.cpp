#include <vyre/program/glsl/macros.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>

namespace vyre::program {
namespace {

constexpr std::size_t kLongToken = 16;
constexpr std::size_t kLongPastedName = 64;

std::uint64_t weight(const GlslToken& token) { return 1 + token.text.size() / kLongToken; }

/// The index after the line that starts at `begin`, and after its line end.
std::size_t line_end(std::span<const GlslToken> tokens, std::size_t begin) {
  while (begin < tokens.size() && tokens[begin].kind != GlslTokenKind::NewLine) ++begin;
  return begin;
}

bool is_directive(std::span<const GlslToken> tokens, std::size_t at) {
  return tokens[at].is("#") && (at == 0 || tokens[at - 1].kind == GlslTokenKind::NewLine);
}

std::size_t parameter_index(std::span<const std::string_view> parameters, const GlslToken& token) {
  if (token.kind != GlslTokenKind::Identifier) return parameters.size();
  return static_cast<std::size_t>(std::ranges::find(parameters, token.text) - parameters.begin());
}

}  // namespace

void GlslMacroBound::Form::add(const Form& other, std::uint64_t times) {
  base = saturating_add(base, saturating_mul(other.base, times));
  for (std::size_t i = 0; i < other.per.size(); ++i) add_parameter(i, saturating_mul(other.per[i], times));
}

void GlslMacroBound::Form::add_parameter(std::size_t index, std::uint64_t times) {
  if (times == 0) return;
  if (per.size() <= index) per.resize(index + 1);
  per[index] = saturating_add(per[index], times);
}

void GlslMacroBound::Form::keep_larger(const Form& other) {
  base = std::max(base, other.base);
  if (per.size() < other.per.size()) per.resize(other.per.size());
  for (std::size_t i = 0; i < other.per.size(); ++i) per[i] = std::max(per[i], other.per[i]);
}

void GlslMacroBound::Value::add(const Value& other) {
  size.add(other.size);
  cost.add(other.cost);
}

void GlslMacroBound::Value::add_tokens(std::uint64_t count) {
  size.base = saturating_add(size.base, count);
  cost.base = saturating_add(cost.base, count);
}

std::unexpected<Error> GlslMacroBound::refuse(const Place& place, std::string message) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{}:{}: {}", place.file, place.line, message));
}

/// The index of the bracket that closes the one at `open`; the number of tokens if there is none.
std::size_t GlslMacroBound::close_of(Tokens tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(")) ++depth;
    if (tokens[i].is(")") && --depth == 0) return i;
  }
  return tokens.size();
}

GlslMacroBound::Macro* GlslMacroBound::find(std::string_view name) {
  const auto found = macros_.find(name);
  return found == macros_.end() ? nullptr : &found->second;
}

void GlslMacroBound::define(std::string_view name, std::string_view value) {
  const GlslText& text = given_.emplace_back(GlslText::source(value));
  texts_.push_back(&text);
  Macro& macro = macros_[names_.emplace_back(name)];
  macro.has_object = true;
  macro.definitions.push_back({.body = text.tokens(), .place = {.file = names_.back(), .line = 1}});
}

Result<void> GlslMacroBound::collect(const GlslText& text, std::string_view file) {
  texts_.push_back(&text);
  const Tokens tokens = text.tokens();
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (!tokens[at].is("#") || !tokens[at + 1].names("define")) continue;
    if (tokens[at + 2].kind != GlslTokenKind::Identifier) continue;
    const std::size_t end = line_end(tokens, at);
    Definition made{.place = {.file = file, .line = tokens[at].line}};
    std::size_t body = at + 3;
    if (body < end && tokens[body].is("(") && !tokens[body].after_space) {
      made.is_function = true;
      for (++body; body < end && !tokens[body].is(")"); ++body) {
        if (tokens[body].kind == GlslTokenKind::Identifier) made.parameters.push_back(tokens[body].text);
      }
      body = std::min(body + 1, end);
      if (made.parameters.size() > kMaxGlslMacroParameters) {
        return refuse(made.place, fmt::format("macro '{}' has {} parameters, the limit is {}", tokens[at + 2].text,
                                              made.parameters.size(), kMaxGlslMacroParameters));
      }
    }
    made.body.assign(tokens.begin() + static_cast<std::ptrdiff_t>(body),
                     tokens.begin() + static_cast<std::ptrdiff_t>(end));
    has_paste_ = has_paste_ || std::ranges::any_of(made.body, [](const GlslToken& each) { return each.is("##"); });
    Macro& macro = macros_[tokens[at + 2].text];
    (made.is_function ? macro.has_function : macro.has_object) = true;
    macro.definitions.push_back(std::move(made));
    at = end;
  }
  return {};
}

/// Whether `##` could produce a name: it can be put together from the spellings of other tokens.
bool GlslMacroBound::can_be_pasted(std::string_view name) const {
  if (name.size() > kLongPastedName) return true;
  std::vector<bool> reached(name.size() + 1);
  reached[0] = true;
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    if (!reached[begin]) continue;
    for (std::size_t end = begin + 1; end <= name.size(); ++end) {
      if (end - begin < name.size() && spellings_.contains(name.substr(begin, end - begin))) reached[end] = true;
    }
  }
  return reached.back();
}

/// Collects the tokens of which `##` may make names: arguments of calls, neighbours of `##`, and what those expand to.
void GlslMacroBound::gather_spellings(Tokens tokens) {
  std::size_t inside = 0;  // the end of the arguments of the current call
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const GlslToken& token = tokens[at];
    const bool is_neighbour =
        (at > 0 && tokens[at - 1].is("##")) || (at + 1 < tokens.size() && tokens[at + 1].is("##"));
    if (at < inside || is_neighbour) spellings_.insert(token.text);
    if (at < inside || token.kind != GlslTokenKind::Identifier) continue;
    const Macro* macro = find(token.text);
    if (macro == nullptr || (!macro->has_function && !macro->is_callable)) continue;
    if (at + 1 < tokens.size() && tokens[at + 1].is("(")) inside = close_of(tokens, at + 1);
  }
}

void GlslMacroBound::gather() {
  is_gathered_ = true;
  std::unordered_set<std::string_view> passed;
  for (const GlslText* text : texts_) {
    const Tokens tokens = text->tokens();
    if (has_paste_) gather_spellings(tokens);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at].kind != GlslTokenKind::Identifier) continue;
      if (at > 0 && tokens[at - 1].names("define")) continue;
      if (at + 1 < tokens.size() && tokens[at + 1].is("(")) continue;
      const Macro* macro = find(tokens[at].text);
      if (macro != nullptr && macro->has_function && passed.insert(tokens[at].text).second) {
        passed_.push_back(tokens[at].text);
      }
    }
  }
  if (!has_paste_) return;
  for (const auto& [name, macro] : macros_) {
    for (const Definition& definition : macro.definitions) {
      if (definition.is_function) continue;
      for (const GlslToken& token : definition.body) spellings_.insert(token.text);
    }
  }
  for (const auto& [name, macro] : macros_) {
    if (can_be_pasted(name)) pastable_.push_back(name);
  }
}

/// If a macro is only another name for a second one, and so on up to a function-like macro: the last of these names.
/// Null if the macro is no such name.
const GlslMacroBound::Macro* GlslMacroBound::other_name_of(const Macro& macro) {
  const Macro* name = &macro;
  for (std::size_t i = 0; i < kMaxGlslMacroDepth; ++i) {
    if (name->definitions.size() != 1 || name->definitions[0].body.size() != 1) return nullptr;
    const Macro* next = find(name->definitions[0].body[0].text);
    if (next == nullptr) return nullptr;
    if (next->has_function) return name;
    name = next;
  }
  return nullptr;
}

bool GlslMacroBound::vanishes(const GlslToken& token, const Stretch& in) {
  if (token.kind != GlslTokenKind::Identifier) return false;
  if (in.definition != nullptr &&
      parameter_index(in.definition->parameters, token) < in.definition->parameters.size()) {
    return true;
  }
  const Macro* macro = find(token.text);
  return macro != nullptr && std::ranges::any_of(macro->definitions, [&](const Definition& each) {
           return each.body.empty() || each.body[0].is("(") ||
                  (each.body[0].kind == GlslTokenKind::Identifier &&
                   (macros_.contains(each.body[0].text) ||
                    parameter_index(each.parameters, each.body[0]) < each.parameters.size()));
         });
}

void GlslMacroBound::note_ending(Tokens body, Macro& macro, const Definition& definition) {
  if (body.empty()) return;
  const GlslToken& last = body.back();
  if (parameter_index(definition.parameters, last) < definition.parameters.size()) macro.is_callable = true;
  const auto ends_callable = [&](const GlslToken& token) {
    const Macro* named = token.kind == GlslTokenKind::Identifier ? find(token.text) : nullptr;
    return named != nullptr && (named->has_function || named->is_callable);
  };
  if (ends_callable(last)) macro.is_callable = true;
  if (last.is(")") && std::ranges::any_of(body, ends_callable)) macro.is_callable = true;
}

Result<void> GlslMacroBound::resolve(std::string_view name, Macro& macro, const Stretch& from) {
  if (macro.state == Macro::State::Done) return {};
  if (macro.state == Macro::State::Open) {
    return refuse(from.place, fmt::format("macro '{}' leads back to itself through '{}', its expansion has no bound",
                                          name, from.name));
  }
  if (from.depth >= kMaxGlslMacroDepth) {
    return refuse(from.place, fmt::format("macro '{}' is {} macros deep, the limit is {}", from.name, from.depth + 1,
                                          kMaxGlslMacroDepth));
  }
  macro.state = Macro::State::Open;
  for (const Definition& definition : macro.definitions) {
    const Stretch in{
        .definition = &definition, .macro = &macro, .name = name, .place = definition.place, .depth = from.depth + 1};
    if (macro.defers.size() < definition.parameters.size()) macro.defers.resize(definition.parameters.size());
    VYRE_ASSIGN(Value value, weigh_tokens(definition.body, in));
    value.add_tokens(1);
    // An argument is expanded whether or not it is used.
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
      value.size.per.resize(std::max(value.size.per.size(), definition.parameters.size()));
      value.size.per[i] = std::max<std::uint64_t>(value.size.per[i], 1);
    }
    Value& kept = definition.is_function ? macro.call : macro.object;
    kept.size.keep_larger(value.size);
    kept.cost.keep_larger(value.cost);
    note_ending(definition.body, macro, definition);
  }
  macro.state = Macro::State::Done;
  return {};
}

Result<GlslMacroBound::Value> GlslMacroBound::weigh_tokens(Tokens tokens, const Stretch& in) {
  Value sum;
  for (std::size_t at = 0; at < tokens.size();) {
    const GlslToken& token = tokens[at];
    if (in.definition != nullptr && at + 2 < tokens.size() && tokens[at + 1].is("##")) {
      VYRE_ASSIGN(at, weigh_paste(tokens, at, in, sum));
      continue;
    }
    if (token.kind != GlslTokenKind::Identifier) {
      sum.add_tokens(weight(token));
      ++at;
      continue;
    }
    if (in.definition != nullptr) {
      const std::size_t index = parameter_index(in.definition->parameters, token);
      if (index < in.definition->parameters.size()) {
        VYRE_ASSIGN(at, weigh_parameter(tokens, at, index, in, sum));
        continue;
      }
    }
    VYRE_ASSIGN(at, weigh_name(tokens, at, token.text, in, sum));
  }
  return sum;
}

Result<std::size_t> GlslMacroBound::weigh_parameter(Tokens tokens, std::size_t at, std::size_t index, const Stretch& in,
                                                    Value& sum) {
  sum.size.add_parameter(index, 1);
  sum.cost.add_parameter(index, 1);
  if (at + 1 == tokens.size()) return at + 1;
  if (tokens[at + 1].is("(")) return weigh_any_call(tokens, at + 1, in, sum);
  if (vanishes(tokens[at + 1], in)) in.macro->defers[index] = true;
  return at + 1;
}

Result<std::size_t> GlslMacroBound::weigh_paste(Tokens tokens, std::size_t at, const Stretch& in, Value& sum) {
  std::string name;
  bool is_known = true;
  for (;; at += 2) {
    const std::size_t index = parameter_index(in.definition->parameters, tokens[at]);
    if (index < in.definition->parameters.size()) {
      is_known = false;
      sum.size.add_parameter(index, 1);
      sum.cost.add_parameter(index, 1);
    } else {
      name.append(tokens[at].text);
      sum.add_tokens(weight(tokens[at]));
    }
    if (at + 2 >= tokens.size() || !tokens[at + 1].is("##")) break;
  }
  if (is_known) return weigh_name(tokens, at, names_.emplace_back(std::move(name)), in, sum);

  if (pastable_.size() > kMaxGlslMacrosByName) {
    return refuse(in.place, fmt::format("macro '{}' may make {} names of macros with ##, the limit is {}", in.name,
                                        pastable_.size(), kMaxGlslMacrosByName));
  }
  Value largest;
  for (const std::string_view pasted : pastable_) {
    Macro& macro = *find(pasted);
    if (&macro == in.macro) continue;
    VYRE_TRY(resolve(pasted, macro, in));
    largest.size.keep_larger(macro.object.size);
    largest.cost.keep_larger(macro.object.cost);
  }
  sum.add(largest);
  if (!pastable_.empty() && at + 1 < tokens.size() && tokens[at + 1].is("(")) {
    return weigh_any_call(tokens, at + 1, in, sum);
  }
  return at + 1;
}

Result<std::size_t> GlslMacroBound::weigh_name(Tokens tokens, std::size_t at, std::string_view name, const Stretch& in,
                                               Value& sum) {
  sum.add_tokens(weight(tokens[at]));
  Macro* macro = find(name);
  // A macro is not expanded within itself.
  if (macro == nullptr || macro == in.macro) return at + 1;
  VYRE_TRY(resolve(name, *macro, in));
  const GlslToken* next = at + 1 < tokens.size() ? &tokens[at + 1] : nullptr;
  sum.add(macro->object);
  if (next == nullptr) return at + 1;
  if (next->is("(")) {
    const Macro* other = macro->has_function ? nullptr : other_name_of(*macro);
    if (other != nullptr) macro = find(other->definitions[0].body[0].text);
    if (!macro->has_function) {
      return macro->is_callable ? weigh_any_call(tokens, at + 1, in, sum) : Result<std::size_t>{at + 1};
    }
    VYRE_ASSIGN(at, weigh_call(tokens, at + 1, *macro, in, sum));
    if (macro->is_callable && at < tokens.size() && tokens[at].is("(")) return weigh_any_call(tokens, at, in, sum);
    return at;
  }
  if (macro->has_function && in.definition != nullptr && vanishes(*next, in)) {
    return refuse(in.place,
                  fmt::format("macro '{}' puts off the call of '{}', its expansion has no bound", in.name, name));
  }
  return at + 1;
}

Result<std::size_t> GlslMacroBound::weigh_call(Tokens tokens, std::size_t open, const Macro& macro, const Stretch& in,
                                               Value& sum) {
  const std::size_t close = close_of(tokens, open);
  if (close == tokens.size() && in.definition != nullptr) {
    return refuse(in.place, fmt::format("macro '{}' opens a call and does not close it", in.name));
  }
  Stretch inner = in;
  ++inner.depth;
  if (inner.depth > kMaxGlslMacroDepth) {
    return refuse({.file = in.place.file, .line = tokens[open].line},
                  fmt::format("calls of macros nest {} deep, the limit is {}", inner.depth, kMaxGlslMacroDepth));
  }
  sum.add(Value{.size = {.base = macro.call.size.base}, .cost = {.base = macro.call.cost.base}});
  std::size_t index = 0;
  std::size_t begin = open + 1;
  std::size_t depth = 0;
  for (std::size_t at = begin; at <= close; ++at) {
    if (at < close) {
      if (tokens[at].is("(")) ++depth;
      if (tokens[at].is(")")) --depth;
      if (depth != 0 || !tokens[at].is(",")) continue;
    }
    const Tokens argument = tokens.subspan(begin, at - begin);
    begin = at + 1;
    VYRE_ASSIGN(const Value value, weigh_tokens(argument, inner));
    const auto times = [&](const Form& form) { return index < form.per.size() ? form.per[index] : 1; };
    sum.size.add(value.size, times(macro.call.size));
    sum.cost.add(value.cost);
    // glslang copies an argument unexpanded, copies it expanded, and then copies it with the body.
    sum.cost.add(value.size, saturating_add(2, times(macro.call.cost)));
    sum.add_tokens(1);
    if (!argument.empty() && index < macro.defers.size() && macro.defers[index]) {
      const Macro* last = argument.back().kind == GlslTokenKind::Identifier ? find(argument.back().text) : nullptr;
      if (last != nullptr && last->has_function) {
        return refuse(
            {.file = in.place.file, .line = argument.back().line},
            fmt::format("the call of macro '{}' is put off, its expansion has no bound", argument.back().text));
      }
      if (in.definition != nullptr) {
        const std::size_t parameter = parameter_index(in.definition->parameters, argument.back());
        if (parameter < in.definition->parameters.size()) in.macro->defers[parameter] = true;
      }
    }
    ++index;
  }
  return std::min(close + 1, tokens.size());
}

Result<std::size_t> GlslMacroBound::weigh_any_call(Tokens tokens, std::size_t open, const Stretch& in, Value& sum) {
  if (passed_.size() > kMaxGlslMacrosByName) {
    return refuse(in.place, fmt::format("macro '{}' may be given {} macros by name, the limit is {}", in.name,
                                        passed_.size(), kMaxGlslMacrosByName));
  }
  Macro any;
  for (const std::string_view passed : passed_) {
    Macro& macro = *find(passed);
    if (&macro == in.macro) continue;
    VYRE_TRY(resolve(passed, macro, in));
    any.call.size.keep_larger(macro.call.size);
    any.call.cost.keep_larger(macro.call.cost);
  }
  return weigh_call(tokens, open, any, in, sum);
}

Result<std::uint64_t> GlslMacroBound::weigh(const GlslText& text, std::string_view file) {
  if (!is_gathered_) gather();
  const Tokens tokens = text.tokens();
  std::vector<GlslToken> plain;
  plain.reserve(tokens.size());
  std::uint64_t total = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (!is_directive(tokens, at)) {
      if (tokens[at].kind != GlslTokenKind::NewLine) plain.push_back(tokens[at]);
      continue;
    }
    const std::size_t end = line_end(tokens, at);
    const Tokens line = tokens.subspan(at, end - at);
    total = saturating_add(total, line.size());
    if (line.size() > 2 && (line[1].names("if") || line[1].names("elif") || line[1].names("line"))) {
      const Stretch in{.name = line[1].text, .place = {.file = file, .line = line[0].line}};
      VYRE_ASSIGN(const Value value, weigh_tokens(line.subspan(2), in));
      if (value.cost.base > kMaxGlslDirectiveExpansion) {
        return refuse(in.place, fmt::format("#{} may expand to {} tokens, the limit is {}", line[1].text,
                                            value.cost.base, kMaxGlslDirectiveExpansion));
      }
      total = saturating_add(total, value.cost.base);
    }
    at = end;
  }
  // Bounds the text piece by piece, so that a message can give the line.
  for (std::size_t at = 0; at < plain.size();) {
    const Stretch in{.name = "the text", .place = {.file = file, .line = plain[at].line}};
    Value sum;
    const std::uint32_t line = plain[at].line;
    if (plain[at].kind == GlslTokenKind::Identifier) {
      VYRE_ASSIGN(at, weigh_name(plain, at, plain[at].text, in, sum));
    } else {
      sum.add_tokens(weight(plain[at]));
      ++at;
    }
    total = saturating_add(total, sum.cost.base);
    if (total > kMaxGlslExpansion) {
      return refuse({.file = file, .line = line},
                    fmt::format("the text may expand to {} tokens here, the limit is {}", total, kMaxGlslExpansion));
    }
  }
  return total;
}

}  // namespace vyre::program
