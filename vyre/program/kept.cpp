#include <vyre/program/kept.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/layout.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program {
namespace {

using spirv::Function;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

constexpr std::size_t kMaxNameBytes = 128;  // Limits messages: a name may be as long as the module.

/// What to call a value in messages: its name, the name of the block that a variable holds, its binding, or its id.
std::string label(const Module& module, Id id) {
  std::string_view name = module.name(id);
  const auto pointer = module.definition(module.type_of(id));
  if (name.empty() && pointer && pointer->op() == spv::OpTypePointer) name = module.name(pointer->operand(1));
  name = name.substr(0, kMaxNameBytes);
  if (!name.empty()) return fmt::format("'{}'", name);
  const auto slot = module.decoration(id, spv::DecorationBinding);
  if (!slot) return fmt::format("%{}", id);
  return fmt::format("binding {}.{}", module.decoration(id, spv::DecorationDescriptorSet).value_or(0), *slot);
}

class KeptFinder {
 public:
  KeptFinder(const Module& module, std::span<const Function* const> functions, spirv::Constants& constants)
      : module_{module}, functions_{functions}, layout_{module, constants} {}

  Kept find() {
    add_globals();
    for (const Function* function : functions_) add_function(*function);
    if (!functions_.empty()) {
      kept_.variable_bytes = saturating_add(kept_.variable_bytes, inlined_bytes(functions_.front()->id));
    }
    if (layout_.is_exhausted()) kept_.variable_bytes = kept_.value_bytes = kMost;
    return std::move(kept_);
  }

 private:
  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

  struct Frame {
    std::uint64_t bytes = 0;  ///< The size of its own variables; later with those of all functions that it calls.
    std::vector<Id> calls = {};
    std::size_t next_call = 0;
    bool is_open = false;
    bool is_done = false;
  };

  std::uint64_t size(Id type) {
    const auto [known, is_new] = sizes_.try_emplace(type, 0);
    if (is_new) known->second = layout_.packed_size(type);
    return known->second;
  }

  [[nodiscard]] Id pointee(Id pointer) const {
    const auto type = module_.definition(module_.type_of(pointer));
    return type && type->op() == spv::OpTypePointer ? type->operand(1) : 0;
  }

  /// The variable or parameter from which a pointer was derived.
  [[nodiscard]] Id base(Id pointer) const {
    constexpr int kMaxSteps = 64;
    for (int i = 0; i < kMaxSteps; ++i) {
      const auto made = module_.definition(pointer);
      const bool goes_on = made && (spirv::is_access_chain(made->op()) || made->op() == spv::OpCopyObject);
      if (!goes_on) break;
      pointer = made->operand(0);
    }
    return pointer;
  }

  void add_globals() {
    std::vector<bool> is_reached(module_.size(), false);
    for (const Function* function : functions_) {
      std::fill(is_reached.begin() + function->begin, is_reached.begin() + function->end, true);
    }
    for (std::size_t i = 0; i < module_.global_count(); ++i) {
      const Instruction variable = module_[i];
      if (variable.op() != spv::OpVariable) continue;
      const bool is_private = variable.operand(0) == spv::StorageClassPrivate;
      const bool is_shared = variable.operand(0) == spv::StorageClassWorkgroup;
      if (!is_private && !is_shared) continue;
      const bool is_used =
          std::ranges::any_of(module_.uses(variable.result()), [&](std::uint32_t use) { return is_reached[use]; });
      if (!is_used) continue;
      if (is_shared) {
        note(kept_.largest_shared, kept_.largest_shared_bytes, variable.result());
      } else {
        kept_.variable_bytes = saturating_add(kept_.variable_bytes, size(pointee(variable.result())));
        note(kept_.largest_variable, kept_.largest_variable_bytes, variable.result());
      }
    }
  }

  void note(std::string& name, std::uint64_t& most, Id variable) {
    const std::uint64_t bytes = size(pointee(variable));
    if (bytes <= most) return;
    most = bytes;
    name = label(module_, variable);
  }

  template <typename Describe>
  void note_value(Id type, Describe describe) {
    if (!is_aggregate(type)) return;
    const std::uint64_t bytes = size(type);
    if (bytes <= kept_.value_bytes) return;
    kept_.value_bytes = bytes;
    kept_.largest_value = describe();
  }

  [[nodiscard]] bool is_aggregate(Id type) const {
    const spv::Op op = module_.definition_op(type);
    return op == spv::OpTypeArray || op == spv::OpTypeStruct || op == spv::OpTypeMatrix;
  }

  void add_function(const Function& function) {
    Frame& frame = frames_[function.id];
    for (std::size_t i = function.begin; i < function.end; ++i) {
      const Instruction each = module_[i];
      switch (each.op()) {
        case spv::OpVariable:
          frame.bytes = saturating_add(frame.bytes, size(pointee(each.result())));
          note(kept_.largest_variable, kept_.largest_variable_bytes, each.result());
          break;
        case spv::OpFunctionCall: frame.calls.push_back(each.operand(0)); [[fallthrough]];
        default:
          note_value(each.type(), [&] {
            return each.op() == spv::OpLoad ? "loaded from " + label(module_, base(each.operand(0)))
                                            : fmt::format("{} of {}", label(module_, each.result()), each.name());
          });
          break;
        case spv::OpStore:
          note_value(module_.type_of(each.operand(1)),
                     [&] { return "stored to " + label(module_, base(each.operand(0))); });
          break;
        case spv::OpCopyMemory:
          note_value(pointee(each.operand(0)), [&] { return "copied to " + label(module_, base(each.operand(0))); });
          break;
      }
    }
  }

  /// The size of the variables of a function and of all its direct and indirect calls.
  std::uint64_t inlined_bytes(Id root) {
    std::vector<Frame*> open = {&frames_[root]};
    while (!open.empty()) {
      Frame& frame = *open.back();
      frame.is_open = true;
      if (frame.is_done || frame.next_call == frame.calls.size()) {
        frame.is_open = false;
        frame.is_done = true;
        open.pop_back();
        continue;
      }
      Frame& callee = frames_[frame.calls[frame.next_call]];
      if (callee.is_open) return kMost;
      if (!callee.is_done) {
        open.push_back(&callee);
        continue;
      }
      ++frame.next_call;
      frame.bytes = saturating_add(frame.bytes, callee.bytes);
    }
    return frames_[root].bytes;
  }

  const Module& module_;
  std::span<const Function* const> functions_;
  Layout layout_;
  std::unordered_map<Id, std::uint64_t> sizes_;
  std::unordered_map<Id, Frame> frames_;
  Kept kept_;
};

}  // namespace

Kept derive_kept(const Module& module, std::span<const Function* const> functions, spirv::Constants& constants) {
  return KeptFinder{module, functions, constants}.find();
}

}  // namespace vyre::program
