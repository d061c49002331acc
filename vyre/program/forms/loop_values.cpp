#include <vyre/program/forms/loop_values.hpp>

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Instruction;

constexpr std::uint64_t kMostParts = 1'024;

}  // namespace

bool LoopValues::is_read_only(Id pointer) const {
  const auto where = facts_.storage(pointer);
  if (where == spv::StorageClassPushConstant) return true;
  if (where != spv::StorageClassUniform) return false;
  const auto found = facts_.buffer_of.find(facts_.origins[pointer]);
  return found == facts_.buffer_of.end() ||
         !module_.decoration(facts_.buffers[found->second].block, spv::DecorationBufferBlock);
}

bool LoopValues::may_repeat() {
  // Any function but the entry point may be called from a loop.
  return body_.function->id != facts_.entry.operand(1) || innermost_loop() != nullptr;
}

const LoopValues::LoopBlocks* LoopValues::innermost_loop() {
  if (!found_) {
    found_.emplace();
    for (std::uint32_t i = 0; i < body_.function->blocks.size(); ++i) {
      const spirv::Block& block = body_.function->blocks[i];
      if (block.end - block.begin < 3 || module_[block.end - 2].op() != spv::OpLoopMerge) continue;
      found_->push_back({.header = i, .merge = body_.flow().block_of_label(module_[block.end - 2].operand(0))});
    }
  }
  // A block comes after the blocks that dominate it, so an inner loop comes after the outer one: search from the end.
  const auto inner = std::views::reverse(*found_);
  const auto found = std::ranges::find_if(inner, [&](const LoopBlocks& loop) { return is_inside(loop, body_.block); });
  return found == inner.end() ? nullptr : &*found;
}

bool LoopValues::is_inside(const LoopBlocks& loop, std::uint32_t block) const {
  // Blocks that end in a break count as inside: invocations run them in different iterations.
  if (block == spirv::ControlFlow::kNone || !body_.flow().dominates(loop.header, block)) return false;
  return loop.merge == spirv::ControlFlow::kNone || !body_.flow().dominates(loop.merge, block);
}

bool LoopValues::outlives_loop(Id value) {
  if (!options_.quirks.values_of_loops || !may_repeat()) return false;
  const LoopBlocks* const loop = innermost_loop();
  constexpr std::size_t kMostFollowed = 256;
  std::unordered_set<Id> seen{value};
  std::vector<Id> open{value};
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    for (const std::uint32_t use : module_.uses(id)) {
      if (use < module_.global_count()) continue;
      const Instruction user = module_[use];
      switch (user.op()) {
        case spv::OpReturnValue:
        case spv::OpFunctionCall: return true;
        case spv::OpStore:
          // A store to a variable counts as a use after the loop, because the driver replaces variables by values.
          if (user.operand(1) == id && !facts_.is_buffer_pointer(user.operand(0))) return true;
          break;
        default: break;
      }
      if (loop != nullptr && !is_inside(*loop, body_.flow().block_of_instruction(use))) return true;
      if (user.result() != 0 && seen.insert(user.result()).second) open.push_back(user.result());
    }
    if (seen.size() > kMostFollowed) return true;
  }
  return false;
}

std::uint64_t LoopValues::parts_of(Id type) {
  const auto definition = module_.definition(type);
  if (!definition) return 1;
  if (definition->op() == spv::OpTypeArray) {
    return saturating_mul(constants_.number(definition->operand(1)).value_or(kMostParts + 1),
                          parts_of(definition->operand(0)));
  }
  if (definition->op() != spv::OpTypeStruct) return 1;
  std::uint64_t parts = 0;
  for (const Id member : definition->operands()) parts = saturating_add(parts, parts_of(member));
  return std::max<std::uint64_t>(parts, 1);
}

Result<void> LoopValues::keep(Id type, Id value, Id result) {
  if (const std::uint64_t parts = parts_of(type); parts > kMostParts) {
    return refuse(fmt::format("a value of {} parts is loaded in a loop and used behind it, the device keeps at most {}",
                              parts, kMostParts));
  }
  keep_parts(type, value, result);
  return {};
}

void LoopValues::keep_parts(Id type, Id value, Id result) {
  const auto definition = module_.definition(type);
  const bool is_array = definition && definition->op() == spv::OpTypeArray;
  if (is_array || (definition && definition->op() == spv::OpTypeStruct)) {
    // A private variable must not have a type with a layout, so its type is copied without one.
    const auto count = static_cast<std::uint32_t>(is_array ? *constants_.number(definition->operand(1))
                                                           : definition->operands().size());
    Words all{type, result};
    for (std::uint32_t i = 0; i < count; ++i) {
      const Id part_type = definition->operand(is_array ? 0 : i);
      const Id part = code_.value(spv::OpCompositeExtract, part_type, {value, i});
      all.push_back(writer_.fresh());
      keep_parts(part_type, part, all.back());
    }
    emit(code_.words, spv::OpCompositeConstruct, all);
    return;
  }
  // A value that is stored in memory stays there for invocations that have left the loop. The driver must not see that
  // the load after the loop gives the stored value, or it uses that value directly.
  const Id variable = writer_.variable(spv::StorageClassPrivate, writer_.plain_array_type(type, 2));
  const Id pointer_type = writer_.pointer_type(spv::StorageClassPrivate, type);
  const Id to = code_.value(spv::OpAccessChain, pointer_type, {variable, writer_.constant(0)});
  code_.add(spv::OpStore, {to, value});
  const Id zero = record_.zero();
  const Id from = code_.value(spv::OpAccessChain, pointer_type, {variable, zero});
  code_.named(spv::OpLoad, type, result, {from});
}

}  // namespace vyre::program::forms
