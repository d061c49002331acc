#include "cli/job/program_form.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vyre/runtime/params.hpp>

namespace vyre::cli::job {
namespace {

using program::Access;
using program::Member;
using program::ScalarKind;
using program::ScalarType;
using program::spirv::SpecOverride;

/// A member that numbers can be given for: a scalar, a vector, or an array of either.
struct PlainType {
  ScalarType scalar = {};
  std::uint32_t components = 1;
  std::optional<std::uint32_t> length = {};
};

std::optional<PlainType> parse_plain_type(std::string_view type) {
  PlainType plain;
  if (type.ends_with(']')) {
    const std::size_t open = type.find('[');
    const std::string_view digits = type.substr(open + 1, type.size() - open - 2);
    std::uint32_t length = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    plain.length = length;
    type = type.substr(0, open);
  }
  for (const ScalarKind kind : {ScalarKind::Int, ScalarKind::Uint, ScalarKind::Float}) {
    for (const std::uint32_t bits : {8U, 16U, 32U, 64U}) {
      if (kind == ScalarKind::Float && bits == 8) continue;
      plain.scalar = {.kind = kind, .bits = bits};
      for (plain.components = 1; plain.components <= 4; ++plain.components) {
        const bool has_name = plain.components == 1 ? program::to_string(plain.scalar) == type
                                                    : program::vector_name(plain.scalar, plain.components) == type;
        if (has_name) return plain;
      }
    }
  }
  return std::nullopt;
}

/// The element type of a binding that is a single array; nothing for other bindings, also for those that several
/// variables share.
std::optional<ScalarType> element_of(const program::Binding& binding) {
  if (binding.members.size() != 1 || !binding.variables.empty()) return std::nullopt;
  const std::string_view type = binding.members[0].type;
  const std::size_t open = type.find('[');
  if (open == std::string_view::npos || type.find('[', open + 1) != std::string_view::npos) return std::nullopt;
  const std::optional<PlainType> plain = parse_plain_type(type.substr(0, open));
  return plain ? std::optional{plain->scalar} : std::nullopt;
}

template <typename T>
std::string names_of(const T& things) {
  std::vector<std::string> names;
  for (const auto& each : things) names.push_back(each.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

class ParamWriter {
 public:
  ParamWriter(std::string_view file, const Resolve& resolve, std::vector<std::byte>& out) noexcept
      : file_{file}, resolve_{resolve}, out_{out} {}

  Result<void> write(const Member& member, const Quantities& given) const {
    const std::optional<PlainType> plain = parse_plain_type(member.type);
    if (!plain) {
      return refuse_at(file_, given.at,
                       fmt::format("parameter '{}' is a {}, a job gives numbers, vectors and arrays of them",
                                   member.name, member.type));
    }
    if (!plain->length) return write_vector(member, *plain, given, member.offset);
    VYRE_TRY(check_length(member, given, *plain->length));
    for (std::uint32_t i = 0; i < *plain->length; ++i) {
      VYRE_TRY(write_vector(member, *plain, given.list[i], member.offset + std::size_t{i} * member.array_stride));
    }
    return {};
  }

 private:
  Result<void> check_length(const Member& member, const Quantities& given, std::size_t length) const {
    if (given.is_list && given.list.size() == length) return {};
    const std::string is = given.is_list ? fmt::format("a list of {}", given.list.size()) : "one number";
    return refuse_at(
        file_, given.at,
        fmt::format("parameter '{}' is {}, a {} takes a list of {}", member.name, is, member.type, length));
  }

  Result<void> write_vector(const Member& member, const PlainType& plain, const Quantities& given,
                            std::size_t offset) const {
    if (plain.components == 1) return write_number(member, plain, given, offset);
    VYRE_TRY(check_length(member, given, plain.components));
    for (const Quantities& each : given.list) {
      VYRE_TRY(write_number(member, plain, each, offset));
      offset += plain.scalar.bits / 8;
    }
    return {};
  }

  Result<void> write_number(const Member& member, const PlainType& plain, const Quantities& given,
                            std::size_t offset) const {
    if (given.is_list) {
      return refuse_at(file_, given.at,
                       fmt::format("parameter '{}' has a list of {} where a {} takes one number", member.name,
                                   given.list.size(), member.type));
    }
    VYRE_ASSIGN(const Number number, resolve_(given.number));
    const auto bits = to_bits(number, plain.scalar, program::to_string(plain.scalar));
    if (!bits) {
      return refuse_at(file_, given.at, fmt::format("parameter '{}': {}", member.name, bits.error().message));
    }
    const std::size_t size = plain.scalar.bits / 8;
    if (offset > out_.size() || size > out_.size() - offset) {
      return refuse_at(file_, given.at,
                       fmt::format("parameter '{}' lies beyond the {} bytes of its block", member.name, out_.size()));
    }
    std::memcpy(out_.data() + offset, &*bits, size);
    return {};
  }

  std::string_view file_;
  const Resolve& resolve_;
  std::vector<std::byte>& out_;
};

}  // namespace

Result<ProgramForm> make_form(const program::Program& program, std::vector<SpecOverride> values) {
  ProgramForm form{.values = std::move(values), .interface = program.interface()};
  if (!form.values.empty()) {
    VYRE_ASSIGN(form.interface, program.specialise(form.values));
  }
  const bool is_unbounded = std::ranges::any_of(form.interface.bindings, [](const auto& each) { return !each.count; });
  if (is_unbounded) return fail(ErrorCode::Unsupported, "an array of buffers has no length");
  VYRE_TRY(backend::check_buffers(form.interface));
  form.rules = backend::rules_of(form.interface);
  for (const backend::RangeRule& rule : form.rules) {
    const program::Binding& binding = *std::ranges::find_if(
        form.interface.bindings, [&](const auto& each) { return each.set == rule.set && each.slot == rule.slot; });
    form.writes.push_back((binding.access & Access::Write) != Access::None);
    form.elements.push_back(element_of(binding));
  }
  return form;
}

Result<std::vector<SpecOverride>> to_overrides(std::string_view file, const program::Program& program,
                                               std::span<const NamedQuantity> values, const Resolve& resolve) {
  const std::vector<program::SpecConstant>& constants = program.interface().spec_constants;
  std::map<std::uint32_t, std::uint64_t> bits_of;
  for (const NamedQuantity& given : values) {
    const auto is_named = [&](const program::SpecConstant& each) {
      return each.name == given.name.text || fmt::format("{}", each.id) == given.name.text;
    };
    const auto constant = std::ranges::find_if(constants, is_named);
    if (constant == constants.end()) {
      std::vector<std::string> names;
      for (const auto& each : constants) names.push_back(each.name.empty() ? fmt::format("{}", each.id) : each.name);
      return refuse_at(
          file, given.name.at,
          fmt::format("program '{}' has no specialisation constant '{}', it has {}", program.name(),
                      shown(given.name.text), names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    VYRE_ASSIGN(const Number number, resolve(given.value));
    const auto bits = to_bits(number, constant->type, program::to_string(constant->type));
    if (!bits) {
      return refuse_at(file, given.value.at,
                       fmt::format("specialisation constant '{}': {}", shown(given.name.text), bits.error().message));
    }
    bits_of[constant->id] = *bits;
  }
  std::vector<SpecOverride> overrides;
  for (const auto& [id, bits] : bits_of) overrides.push_back({.spec_id = id, .bits = bits});
  return overrides;
}

Result<std::vector<std::byte>> lay_out_params(std::string_view file, const program::Program& program,
                                              const ProgramForm& form, const Step& step,
                                              std::span<const ParamSource> params, const Resolve& resolve) {
  static const std::vector<Member> kNone;
  const auto& block = form.interface.push_constants;
  const std::vector<Member>& members = block ? block->members : kNone;
  std::vector<std::byte> bytes(block ? block->size : 0);
  if (bytes.size() > runtime::Params::kMaxBytes) {
    return refuse_at(file, step.at,
                     fmt::format("program '{}' has {} bytes of push constants, no device has more than {}",
                                 program.name(), bytes.size(), runtime::Params::kMaxBytes));
  }
  const ParamWriter writer{file, resolve, bytes};
  for (const ParamSource& param : params) {
    const auto member = std::ranges::find(members, param.name.text, &Member::name);
    if (member == members.end()) {
      return refuse_at(file, param.name.at,
                       fmt::format("program '{}' has no parameter '{}', it has {}", program.name(),
                                   shown(param.name.text), names_of(members)));
    }
    VYRE_TRY(writer.write(*member, param.value));
  }
  for (const Member& member : members) {
    if (std::ranges::find(params, member.name, [](const ParamSource& each) { return each.name.text; }) ==
        params.end()) {
      return refuse_at(file, step.at,
                       fmt::format("parameter '{}' of program '{}' is not given, it is a {}", member.name,
                                   program.name(), member.type));
    }
  }
  return bytes;
}

Result<std::vector<const View*>> order_views(std::string_view file, const program::Program& program,
                                             const ProgramForm& form, const Step& step,
                                             std::span<const BindingSource> bindings) {
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Place, const BindingSource*> given;
  for (const BindingSource& binding : bindings) {
    const auto is_named = [&](const program::Binding& each) {
      const bool is_variable =
          std::ranges::find(each.variables, binding.name.text, &program::BindingVariable::name) != each.variables.end();
      return is_variable || each.name == binding.name.text ||
             fmt::format("{}.{}", each.set, each.slot) == binding.name.text;
    };
    const auto found = std::ranges::find_if(form.interface.bindings, is_named);
    if (found == form.interface.bindings.end()) {
      return refuse_at(file, binding.name.at,
                       fmt::format("program '{}' has no binding '{}', it has {}", program.name(),
                                   shown(binding.name.text), names_of(form.interface.bindings)));
    }
    if (!given.emplace(Place{found->set, found->slot}, &binding).second) {
      return refuse_at(file, binding.name.at,
                       fmt::format("binding '{}' is given twice, slot {} of set {} takes one buffer",
                                   shown(binding.name.text), found->slot, found->set));
    }
  }
  std::vector<const View*> views;
  for (const backend::RangeRule& rule : form.rules) {
    const auto found = given.find({rule.set, rule.slot});
    if (found == given.end()) {
      if (!rule.is_needed) {
        views.push_back(nullptr);
        continue;
      }
      return refuse_at(file, step.at, fmt::format("{} of program '{}' is not given", to_string(rule), program.name()));
    }
    const BindingSource& binding = *found->second;
    const auto count = std::ranges::count_if(
        form.rules, [&](const auto& each) { return each.set == rule.set && each.slot == rule.slot; });
    if (binding.views.size() != static_cast<std::size_t>(count)) {
      return refuse_at(file, binding.name.at,
                       fmt::format("binding '{}' is given {} buffers, it takes {}", shown(binding.name.text),
                                   binding.views.size(), count));
    }
    views.push_back(&binding.views[rule.element]);
  }
  return views;
}

}  // namespace vyre::cli::job
