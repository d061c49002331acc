#include <vyre/backend/make_pipeline.hpp>

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>
#include <vyre/program/forms/ldexp.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::backend {
namespace {

using program::FormKind;
using Words = std::vector<std::uint32_t>;

/// Derives a form for this device. For the descriptor form the result is empty: the program itself is run.
Result<program::Form> make_form(const program::Program& program, const DeviceInfo& info, FormKind kind, bool robust,
                                std::span<const program::spirv::SpecOverride> values) {
  if (static_cast<std::size_t>(kind) >= program::kForms) {
    return fail(ErrorCode::InvalidArgument, fmt::format("form {} is asked for, there are 0 (descriptor) to {} (chain)",
                                                        static_cast<int>(kind), program::kForms - 1));
  }
  if (kind == FormKind::Descriptor) return program::Form{};
  if (!info.forms.has(kind)) {
    return fail(ErrorCode::Unsupported, fmt::format("the device does not run the {} form", to_string(kind)));
  }
  return derive_form(program, kind,
                     {.robust = robust,
                      .fold = info.forms.fold,
                      .lanes = info.forms.lanes,
                      .pairs = info.forms.pairs,
                      .max_iterations = info.forms.max_iterations,
                      .quirks = info.forms.quirks},
                     values);
}

/// The module to run, with the exponents of `ldexp` narrowed to 32 bits, for drivers that support no wider ones.
/// Nothing if the kernel has no wider ones.
Result<std::optional<Words>> narrow(const program::Program& program, const program::Form* form) {
  std::optional<Words> narrowed = program::narrow_ldexp(program.module());
  if (!narrowed || form == nullptr) return narrowed;
  VYRE_ASSIGN(const program::spirv::Module module, program::spirv::Module::read(form->words));
  return program::narrow_ldexp(module);
}

Result<PipelineEntry> make(DeviceDriver& driver, const program::Program& program, const PipelineOptions& options) {
  const DeviceInfo& info = driver.info();
  VYRE_ASSIGN(const program::SpecKey key, program.spec_key(options.values));
  program::Interface specialised;
  if (!key.values.empty()) {
    VYRE_ASSIGN(specialised, program.specialise(key.values));
  }
  const program::Interface& interface = key.values.empty() ? program.interface() : specialised;
  VYRE_TRY(check_buffers(interface));
  VYRE_ASSIGN(program::Form made, make_form(program, info, options.form, options.robust, key.values));
  const program::Form* form = options.form == FormKind::Descriptor ? nullptr : &made;
  const program::Interface& run = form == nullptr ? interface : form->interface;
  if (auto checked = check_program(run, info); !checked) {
    // If a variable or value is too large, checks the kernel as written: its message has more names of the source.
    if (!check_kept(run, info.limits)) VYRE_TRY(check_kept(interface, info.limits));
    return std::unexpected{std::move(checked).error()};
  }
  std::optional<Words> narrowed;
  if (info.forms.quirks.ldexp_exponents) {
    VYRE_ASSIGN(narrowed, narrow(program, form));
  }
  std::span<const std::uint32_t> words = program.words();
  if (form != nullptr) words = form->words;
  if (narrowed) words = *narrowed;
  VYRE_ASSIGN(std::unique_ptr<DriverPipeline> object, driver.compile({.program = program,
                                                                      .words = words,
                                                                      .interface = run,
                                                                      .values = key.values,
                                                                      .slots = slots_of(run),
                                                                      .form = form}));
  return PipelineEntry{.object = std::move(object),
                       .program = program,
                       .rules = rules_of(interface),
                       .push_bytes = interface.push_constants ? interface.push_constants->size : 0,
                       .form = {.kind = options.form,
                                .record = std::move(made.record),
                                .folded = made.folded,
                                .iterations = std::move(made.iterations).value_or(program::Bound{})}};
}

}  // namespace

Result<PipelineEntry> make_pipeline(DeviceDriver& driver, const program::Program& program,
                                    const PipelineOptions& options) {
  Result<PipelineEntry> made = make(driver, program, options);
  if (made) return made;
  return in_context(std::move(made).error(), fmt::format("while compiling program '{}'", program.name()));
}

}  // namespace vyre::backend
