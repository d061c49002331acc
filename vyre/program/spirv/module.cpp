#include <vyre/program/spirv/module.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <ranges>
#include <tuple>

#include <fmt/format.h>

#include <vyre/program/spirv/header.hpp>

namespace vyre::program::spirv {
namespace {

static_assert(std::endian::native == std::endian::little, "literal strings are read in place");

std::unexpected<Error> broken(std::string message) { return fail(ErrorCode::CompileFailed, std::move(message)); }

/// The key by which decorations are sorted: by target and member, then by kind.
std::tuple<Id, std::uint32_t, std::uint32_t> decoration_key(const Decoration& decoration) {
  return {decoration.target, decoration.member, decoration.kind};
}

bool is_terminator(spv::Op op) {
  switch (op) {
    case spv::OpBranch:
    case spv::OpBranchConditional:
    case spv::OpSwitch:
    case spv::OpReturn:
    case spv::OpReturnValue:
    case spv::OpKill:
    case spv::OpUnreachable:
    case spv::OpTerminateInvocation:
    case spv::OpIgnoreIntersectionKHR:
    case spv::OpTerminateRayKHR:
    case spv::OpEmitMeshTasksEXT: return true;
    default: return false;
  }
}

}  // namespace

std::string_view Instruction::string(std::size_t index) const noexcept {
  const std::span<const std::uint32_t> all = operands();
  if (index >= all.size()) return {};
  const auto* text = reinterpret_cast<const char*>(all.data() + index);
  const std::size_t room = (all.size() - index) * sizeof(std::uint32_t);
  return {text, static_cast<std::size_t>(std::find(text, text + room, '\0') - text)};
}

Result<Module> Module::read(std::span<const std::uint32_t> words) {
  VYRE_TRY(check_header(words));
  Module module;
  std::ranges::copy(words.first(kHeaderWords), module.header_);
  VYRE_TRY(module.read_instructions(words.subspan(kHeaderWords)));
  VYRE_TRY(module.index_uses());
  VYRE_TRY(module.index_functions());
  VYRE_TRY(module.index_annotations());
  return module;
}

Result<void> Module::read_instructions(std::span<const std::uint32_t> words) {
  words_.assign(words.begin(), words.end());
  definitions_.assign(id_bound(), 0);
  instructions_.reserve(words.size() / 4);
  for (std::size_t at = 0; at < words.size();) {
    const std::uint32_t length = words[at] >> 16;
    const std::uint32_t opcode = words[at] & 0xffff;
    if (length == 0 || length > words.size() - at) {
      return broken(fmt::format("the instruction at word {} has {} words, there are {} left", at + kHeaderWords, length,
                                words.size() - at));
    }
    const OpcodeInfo* info = find_opcode(opcode);
    if (info == nullptr) {
      return fail(
          ErrorCode::Unsupported,
          fmt::format("the instruction at word {} has opcode {}, which the SPIR-V grammar of this build does not have",
                      at + kHeaderWords, opcode));
    }
    const std::uint32_t results = (info->has_type ? 1U : 0U) + (info->has_result ? 1U : 0U);
    if (length < 1 + results) {
      return broken(fmt::format("{} at word {} has {} words, it needs at least {}", info->name, at + kHeaderWords,
                                length, 1 + results));
    }
    if (info->has_result) {
      const Id id = words[at + results];
      if (id == 0 || id >= id_bound()) {
        return broken(
            fmt::format("{} at word {} defines id {}, the bound is {}", info->name, at + kHeaderWords, id, id_bound()));
      }
      if (definitions_[id] != 0) {
        return broken(fmt::format("{} at word {} defines id {} again", info->name, at + kHeaderWords, id));
      }
      definitions_[id] = static_cast<std::uint32_t>(instructions_.size() + 1);
    }
    instructions_.push_back({.offset = static_cast<std::uint32_t>(at), .info = info});
    at += length;
  }
  return {};
}

Result<void> Module::index_uses() {
  struct Use {
    Id id;
    std::uint32_t instruction;
  };
  std::vector<Use> uses;
  uses.reserve(words_.size());
  first_use_.assign(std::size_t{id_bound()} + 1, 0);
  for (std::size_t i = 0; i < size(); ++i) {
    const Instruction instruction = (*this)[i];
    const std::size_t at = instructions_[i].offset + kHeaderWords;
    const auto add = [&](Id id) {
      if (id == 0 || id >= id_bound()) return false;
      uses.push_back({.id = id, .instruction = static_cast<std::uint32_t>(i)});
      ++first_use_[id];
      return true;
    };
    const auto out_of_range = [&](Id id) {
      return broken(fmt::format("{} at word {} uses id {}, the bound is {}", instruction.name(), at, id, id_bound()));
    };
    // The operands of most instructions are only ids, so they are read directly, which is faster.
    const std::span<const std::uint32_t> operands = instruction.words().subspan(1);
    const OpcodeInfo& info = instruction.info();
    const bool only_ids =
        info.only_ids_follow ? operands.size() >= info.leading_ids : operands.size() == info.leading_ids;
    if (only_ids && info.leading_ids == info.required_operands) {
      const std::size_t result = info.has_result ? (info.has_type ? 1 : 0) : operands.size();
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (k != result && !add(operands[k])) return out_of_range(operands[k]);
      }
      continue;
    }
    detail::OperandReader reader{instruction, instruction.op() == spv::OpSwitch && has_wide_literals(instruction)};
    for (Operand operand; reader.next(operand);) {
      if (!operand.is_id() || operand.kind == OperandKind::IdResult) continue;
      if (!add(operand.words[0])) return out_of_range(operand.words[0]);
    }
    if (!reader.is_complete()) {
      return broken(fmt::format("the operands of {} at word {} do not follow the grammar", instruction.name(), at));
    }
  }
  // Counts become ends, and filling from the back turns ends into beginnings.
  std::partial_sum(first_use_.begin(), first_use_.end(), first_use_.begin());
  uses_.resize(uses.size());
  for (const Use& use : std::views::reverse(uses)) uses_[--first_use_[use.id]] = use.instruction;
  return {};
}

Result<void> Module::index_functions() {
  const auto misplaced = [&](std::size_t index) {
    return broken(fmt::format("{} at word {} does not belong there", (*this)[index].name(),
                              instructions_[index].offset + kHeaderWords));
  };
  global_count_ = size();
  label_blocks_.assign(id_bound(), 0);
  Function* function = nullptr;
  bool in_block = false;
  for (std::size_t i = 0; i < size(); ++i) {
    const Instruction instruction = (*this)[i];
    const auto index = static_cast<std::uint32_t>(i);
    switch (instruction.op()) {
      case spv::OpFunction:
        if (function != nullptr) return misplaced(i);
        if (functions_.empty()) global_count_ = i;
        function = &functions_.emplace_back(Function{.id = instruction.result(), .begin = index});
        break;
      case spv::OpFunctionParameter:
        if (function == nullptr || !function->blocks.empty()) return misplaced(i);
        function->parameters.push_back(instruction.result());
        break;
      case spv::OpLabel:
        if (function == nullptr || in_block) return misplaced(i);
        label_blocks_[instruction.result()] = static_cast<std::uint32_t>(function->blocks.size());
        function->blocks.push_back({.label = instruction.result(), .begin = index});
        in_block = true;
        break;
      case spv::OpFunctionEnd:
        if (function == nullptr || in_block) return misplaced(i);
        function->end = index + 1;
        function = nullptr;
        break;
      default:
        if (function == nullptr) break;
        if (in_block && is_terminator(instruction.op())) {
          function->blocks.back().end = index + 1;
          in_block = false;
        }
    }
  }
  if (function != nullptr) return broken("the last function of the SPIR-V module has no end");
  return {};
}

Result<void> Module::index_annotations() {
  std::vector<std::uint32_t> groups;
  for (std::size_t i = 0; i < global_count_; ++i) {
    const Instruction instruction = (*this)[i];
    const auto index = static_cast<std::uint32_t>(i);
    const std::span<const std::uint32_t> operands = instruction.operands();
    switch (instruction.op()) {
      case spv::OpName: names_.push_back({.target = operands[0], .text = instruction.string(1)}); break;
      case spv::OpMemberName:
        names_.push_back({.target = operands[0], .member = operands[1], .text = instruction.string(2)});
        break;
      case spv::OpDecorate:
      case spv::OpDecorateId:
      case spv::OpDecorateString:
        decorations_.push_back({.target = operands[0], .kind = operands[1], .parameters = operands.subspan(2)});
        break;
      case spv::OpMemberDecorate:
      case spv::OpMemberDecorateString:
        decorations_.push_back(
            {.target = operands[0], .member = operands[1], .kind = operands[2], .parameters = operands.subspan(3)});
        break;
      case spv::OpGroupDecorate:
      case spv::OpGroupMemberDecorate: groups.push_back(index); break;
      default: break;
    }
  }
  // If an id has several names, the first one in the module counts.
  std::ranges::sort(names_, {},
                    [](const Name& name) { return std::tuple{name.target, name.member, name.text.data()}; });
  std::ranges::sort(decorations_, {}, decoration_key);
  if (groups.empty()) return {};

  const std::vector<Decoration> own = decorations_;
  for (const std::uint32_t index : groups) {
    const Instruction instruction = (*this)[index];
    const bool members = instruction.op() == spv::OpGroupMemberDecorate;
    const std::span<const std::uint32_t> targets = instruction.operands().subspan(1);
    const auto group = std::ranges::equal_range(own, instruction.operand(0), {}, &Decoration::target);
    const std::size_t added = group.size() * targets.size();
    if (decorations_.size() + added > kMaxDecorations) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the SPIR-V module has {} decorations with those of its groups, the limit is {}",
                              decorations_.size() + added, kMaxDecorations));
    }
    for (std::size_t i = 0; i < targets.size(); i += members ? 2 : 1) {
      for (Decoration decoration : group) {
        decoration.target = targets[i];
        if (members) decoration.member = targets[i + 1];
        decorations_.push_back(decoration);
      }
    }
  }
  std::ranges::sort(decorations_, {}, decoration_key);
  return {};
}

std::vector<std::uint32_t> Module::write() const {
  std::vector<std::uint32_t> words(std::begin(header_), std::end(header_));
  words.reserve(kHeaderWords + words_.size());
  for (std::size_t i = 0; i < size(); ++i) {
    const std::span<const std::uint32_t> instruction = (*this)[i].words();
    words.insert(words.end(), instruction.begin(), instruction.end());
  }
  return words;
}

std::size_t Module::definition_index(Id id) const noexcept {
  return id < definitions_.size() && definitions_[id] != 0 ? definitions_[id] - 1 : size();
}

std::optional<Instruction> Module::definition(Id id) const noexcept {
  const std::size_t index = definition_index(id);
  return index < size() ? std::optional{(*this)[index]} : std::nullopt;
}

spv::Op Module::definition_op(Id id) const noexcept {
  const std::size_t index = definition_index(id);
  return index < size() ? (*this)[index].op() : spv::OpNop;
}

Id Module::type_of(Id id) const noexcept {
  const std::size_t index = definition_index(id);
  return index < size() ? (*this)[index].type() : 0;
}

std::string_view Module::name(Id id) const noexcept { return member_name(id, Decoration::kNoMember); }

std::string_view Module::member_name(Id structure, std::uint32_t member) const noexcept {
  const auto key = [](const Name& name) { return std::pair{name.target, name.member}; };
  const auto found = std::ranges::lower_bound(names_, std::pair{structure, member}, {}, key);
  if (found == names_.end() || key(*found) != std::pair{structure, member}) return {};
  return found->text;
}

std::span<const Decoration> Module::decorations(Id id) const noexcept {
  const auto range = std::ranges::equal_range(decorations_, id, {}, &Decoration::target);
  return {range.begin(), range.end()};
}

std::optional<std::uint32_t> Module::decoration(Id id, spv::Decoration kind, std::uint32_t member) const noexcept {
  const std::tuple key{id, member, static_cast<std::uint32_t>(kind)};
  const auto found = std::ranges::lower_bound(decorations_, key, {}, decoration_key);
  if (found == decorations_.end() || decoration_key(*found) != key) return std::nullopt;
  return found->parameters.empty() ? 0 : found->parameters[0];
}

const Function* Module::function(Id id) const noexcept {
  // Functions are sorted by their first instruction.
  const auto index = static_cast<std::uint32_t>(definition_index(id));
  const auto found = std::ranges::lower_bound(functions_, index, {}, &Function::begin);
  return found != functions_.end() && found->id == id ? &*found : nullptr;
}

bool Module::has_wide_literals(const Instruction& branch) const noexcept {
  const std::optional<Instruction> type = definition(type_of(branch.operand(0)));
  return type && type->op() == spv::OpTypeInt && type->operand(0) > 32;
}

}  // namespace vyre::program::spirv
