#include <vyre/program/forms/form.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <vyre/program/bound.hpp>
#include <vyre/program/forms/form_cache.hpp>
#include <vyre/program/forms/kernel_facts.hpp>
#include <vyre/program/forms/launcher.hpp>
#include <vyre/program/forms/module_writer.hpp>
#include <vyre/program/forms/pointer_rewriter.hpp>
#include <vyre/program/live_code.hpp>
#include <vyre/program/loops.hpp>
#include <vyre/program/reflect.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/module.hpp>
#include <vyre/program/validate.hpp>

namespace vyre::program {
namespace {

using forms::Id;
using forms::KernelFacts;
using forms::ModuleWriter;
using forms::refuse;

/// Steps that the search for loop bounds may take.
constexpr std::uint64_t kLoopEffort = 4'000'000;

/// The built-in constant with the workgroup size; 0 if the module has none.
Id workgroup_size_constant(const spirv::Module& module) {
  for (std::size_t i = 0; i < module.global_count(); ++i) {
    const spirv::Instruction instruction = module[i];
    if (instruction.op() == spv::OpDecorate && instruction.operand(1) == spv::DecorationBuiltIn &&
        instruction.operand(2) == spv::BuiltInWorkgroupSize) {
      return instruction.operand(0);
    }
  }
  return 0;
}

RecordLayout layout_of(const KernelFacts& facts, const forms::RecordTypes& types, const Interface& interface,
                       bool is_robust) {
  RecordLayout layout{.params_offset = types.params_offset,
                      .params_bytes = interface.push_constants ? interface.push_constants->size : 0,
                      .stride = types.stride};
  for (const forms::BufferVariable& buffer : facts.buffers) {
    for (std::uint32_t i = 0; i < buffer.count; ++i) {
      layout.entries.push_back({.range = buffer.first_range + i,
                                .array_offset = buffer.array_offset,
                                .array_stride = buffer.array_stride,
                                .scalar_bytes = is_robust ? buffer.scalar_bytes : 0});
    }
  }
  return layout;
}

/// The built-ins of the kernel that the form sets itself.
std::set<Id> replaced_built_ins(const KernelFacts& facts, const forms::LaunchShape& shape) {
  std::set<Id> replaced;
  for (const auto& [which, variable] : facts.built_ins) {
    if (shape.sets(static_cast<spv::BuiltIn>(which))) replaced.insert(variable);
  }
  // In a folded form, workgroups do not have the size of the constant any more.
  const Id size = shape.fold != 0 ? workgroup_size_constant(facts.module) : 0;
  if (size != 0) replaced.insert(size);
  return replaced;
}

/// Replaces the workgroup size of the kernel by that of the folded form.
void replace_workgroup_size(ModuleWriter& writer, Id entry, std::uint32_t fold) {
  forms::Words kept;
  for (std::size_t at = 0; at < writer.modes.size(); at += writer.modes[at] >> 16) {
    const std::uint32_t mode = writer.modes[at + 2];
    if (mode == spv::ExecutionModeLocalSize || mode == spv::ExecutionModeLocalSizeId) continue;
    kept.insert(kept.end(), writer.modes.begin() + static_cast<std::ptrdiff_t>(at),
                writer.modes.begin() + static_cast<std::ptrdiff_t>(at + (writer.modes[at] >> 16)));
  }
  forms::emit(kept, spv::OpExecutionMode, {entry, spv::ExecutionModeLocalSize, fold, 1, 1});
  writer.modes = std::move(kept);
}

Result<Form> derive(const Program& program, FormKind kind, const FormOptions& options,
                    std::span<const spirv::SpecOverride> values) {
  const spirv::Module& module = program.module();
  VYRE_ASSIGN(const Interface interface, program.specialise(values));
  spirv::Constants constants{module, values};
  VYRE_ASSIGN(const KernelFacts facts, forms::find_facts(module, interface, constants));
  std::size_t variables = 0;
  for (const Binding& binding : interface.bindings) variables += std::max<std::size_t>(binding.variables.size(), 1);
  if (facts.buffers.size() != variables) return refuse("a variable begins as an address of a buffer");
  const bool is_one_launch = program::is_one_launch(kind);
  if (is_one_launch) VYRE_TRY(forms::check_one_launch(facts, kind, constants));

  Form form{.kind = kind};
  const std::vector<bool> is_live = find_live_code(module, facts.entry.operand(1), constants);
  LoopSearch search{.module = module,
                    .constants = constants,
                    .is_live = is_live,
                    .workgroup = interface.workgroup.size,
                    .effort = kLoopEffort};
  form.iterations = derive_iterations(search, facts.functions);
  forms::LaunchShape shape{
      .kind = kind, .workgroup = interface.workgroup.size, .has_shared = interface.shared_bytes > 0};
  std::uint64_t invocations = 1;
  for (const std::uint32_t size : shape.workgroup) invocations *= size;
  constexpr std::uint64_t kMostInvocations = 65'536;
  if (invocations == 0 || invocations > kMostInvocations) {
    return refuse(fmt::format("a workgroup has {} invocations, the limit is {}", invocations, kMostInvocations));
  }
  // The iterations of an invocation that stands for several: one round for each of them, and one to leave the loop.
  const std::uint64_t most = options.max_iterations;
  const auto fits = [&](std::uint64_t folded) {
    if (most == 0) return true;
    if (!form.iterations) return false;
    // A number that depends on the dispatch is compared when there is one.
    const std::uint64_t iterations = constant_of(*form.iterations).value_or(0);
    return saturating_add(saturating_mul(folded, iterations), folded > 1 ? folded + 3 : 2) < most;
  };
  if (is_one_launch && options.fold != 0 && invocations > options.fold && forms::can_fold(facts, interface)) {
    const auto folded = static_cast<std::uint32_t>((invocations + options.fold - 1) / options.fold);
    if (fits(folded)) {
      shape.fold = options.fold;
      form.folded = folded;
    }
  }
  constexpr std::uint32_t kVersion13 = 0x0001'0300;  // The first version with subgroup operations.
  // Subgroups consist of neighbours along x, so they are full only if their size divides the width.
  const std::uint32_t width = shape.fold != 0 ? shape.fold : shape.workgroup[0];
  if (is_one_launch && options.lanes > 1 && width % options.lanes == 0 && module.version() >= kVersion13) {
    shape.lanes = options.lanes;
  }
  if (takes_turns(kind) && most != 0) {
    if (!form.iterations) {
      return refuse(
          fmt::format("a loop has no bound that can be proven, and the device ends an invocation after {} "
                      "iterations of all its loops",
                      most));
    }
    // At least one workgroup of the kernel must fit into the limit.
    if (!fits(form.folded)) {
      return refuse(fmt::format("its loops make up to {} iterations, the device's limit is {}",
                                constant_of(*form.iterations).value_or(0), most));
    }
  }

  ModuleWriter writer{module};
  forms::PointerRewriter rewriter{
      {.facts = facts, .constants = constants, .kind = kind, .options = options, .writer = writer}};
  VYRE_ASSIGN(const forms::RecordTypes types, rewriter.make_types());
  VYRE_TRY(rewriter.write_globals(replaced_built_ins(facts, shape)));
  const Id body = writer.fresh();
  VYRE_TRY(rewriter.write_functions(body));
  forms::write_launcher(facts, rewriter.record(), types, shape, body, writer);
  const Id entry = facts.entry.operand(1);
  if (shape.fold != 0) replace_workgroup_size(writer, entry, shape.fold);
  form.words = writer.finish(facts.entry);
  form.record = layout_of(facts, types, interface, options.robust);
  return form;
}

/// Derives a form, validates it, and derives its interface.
Result<Form> derive_checked(const Program& program, FormKind kind, const FormOptions& options,
                            std::span<const spirv::SpecOverride> values) {
  VYRE_ASSIGN(Form form, derive(program, kind, options, values));
  const Result<BlockLayout> layout = validate(form.words, program.validation());
  if (!layout) return refuse("the rewritten module is not valid: " + layout.error().message);
  VYRE_ASSIGN(const spirv::Module module, spirv::Module::read(form.words));
  VYRE_ASSIGN(form.interface, reflect(module, program.interface().entry_point, values));
  form.interface.block_layout = *layout;
  form.interface.unsupported.clear();  // Its list has the use of addresses, which vyre's own forms may use.
  return form;
}

}  // namespace

std::string_view to_string(FormKind kind) noexcept {
  switch (kind) {
    case FormKind::Descriptor: return "descriptor";
    case FormKind::Pointer: return "pointer";
    case FormKind::Merged: return "merged";
    case FormKind::Persistent: return "persistent";
    case FormKind::Chain: return "chain";
  }
  return "descriptor";
}

std::optional<FormKind> parse_form(std::string_view text) noexcept {
  for (const FormKind kind : kAllForms) {
    if (text == to_string(kind)) return kind;
  }
  return std::nullopt;
}

Result<Form> derive_form(const Program& program, FormKind kind, const FormOptions& options,
                         std::span<const spirv::SpecOverride> values) {
  if (static_cast<std::size_t>(kind) >= kForms) {
    return fail(ErrorCode::InvalidArgument, fmt::format("form {} is asked for, there are 1 (pointer) to {} (chain)",
                                                        static_cast<int>(kind), kForms - 1));
  }
  if (kind == FormKind::Descriptor) return fail(ErrorCode::InvalidArgument, "a program is in the descriptor form");
  if (auto known = program.form_cache().find(kind, options, values)) return *std::move(known);
  Result<Form> form = derive_checked(program, kind, options, values);
  if (!form) {
    form = in_context(std::move(form).error(),
                      fmt::format("while deriving the {} form of program '{}'", to_string(kind), program.name()));
  }
  program.form_cache().add(kind, options, values, form);
  return form;
}

}  // namespace vyre::program
