#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/plan/binding_plan.hpp>
#include <vyre/program/aliased.hpp>
#include <vyre/program/program.hpp>
#include <vyre/runtime/params.hpp>
#include <vyre/runtime/shared_pipelines.hpp>

namespace vyre::runtime {

/// A member of the push constants.
struct ParamSlot {
  std::string name = {};
  std::string type = {};
  std::uint32_t offset = 0;
  bool is_plain = false;  ///< Whether it is a scalar or a vector; then the next three members describe it.
  program::ScalarKind kind = program::ScalarKind::Uint;
  std::uint8_t bits = 32;
  std::uint8_t components = 1;

  [[nodiscard]] bool takes(const Params::Value& value) const noexcept {
    return is_plain && kind == value.kind && bits == value.bits && components == value.components;
  }
};

/// A variant of a program for dispatches whose buffers overlap: the overlapping bindings are declared `Aliased`.
struct AliasedProgram {
  std::vector<program::BindingPlace> bindings;  ///< Sorted.
  program::Program program;
};

/// A program on a device: its pipelines, and what is needed to check a dispatch of it.
struct CompiledProgram {
  program::Program program;
  std::vector<program::spirv::SpecOverride> values;
  std::shared_ptr<SharedPipelines> shared;  ///< Owns the pipelines.
  backend::PipelineHandle pipeline = {};    ///< The pipeline that dispatches have in a batch before it is lowered.
  program::FormKind form = program::FormKind::Descriptor;  ///< The form of `pipeline`.
  /// The pipeline for dispatches that cannot run in a derived form. `find_written` compiles it.
  backend::PipelineHandle written_pipeline = {};
  program::FormKind written_form = program::FormKind::Descriptor;
  /// By form: the pipelines that were needed so far, except that in `form`; and which forms were refused.
  std::array<backend::PipelineHandle, program::kForms> others = {};
  std::array<bool, program::kForms> refused = {};
  std::string form_refused = {};  ///< Why the program does not have a wanted form. Empty if it has.
  std::uint64_t id = 0;           ///< Identifies the program and its specialisation; the same in every process.
  plan::BindingPlan bindings = {};
  std::vector<AliasedProgram> aliased = {};  ///< Variants that dispatches with overlapping buffers needed.
  std::string in_place = {};                 ///< If this is a variant: its `Aliased` bindings, for the report.
  std::vector<ParamSlot> params = {};        ///< Sorted by offset.
  std::uint32_t push_bytes = 0;

  /// The pipeline in a form; a handle of generation 0 if it was not compiled.
  [[nodiscard]] backend::PipelineHandle pipeline_in(program::FormKind wanted) const noexcept {
    return wanted == form ? pipeline : others[static_cast<std::size_t>(wanted)];
  }
};

/// Compiles a program for a device and makes its binding plan. Compiles it in `form` if it has that form, otherwise as
/// written.
[[nodiscard]] Result<CompiledProgram> compile_program(backend::Device& device, const program::Program& program,
                                                      std::span<const program::spirv::SpecOverride> values,
                                                      program::FormKind wanted);

/// The pipeline in another form. Compiles it if no session has done so; that may wait for pending work, at most for
/// `timeout`. `Unsupported` if the program does not have the form.
[[nodiscard]] Result<backend::PipelineHandle> find_form(CompiledProgram& compiled, program::FormKind form,
                                                        std::chrono::nanoseconds timeout);

/// The pipeline for dispatches that cannot run in a derived form, compiled if there is none yet: the kernel as written,
/// or in the pointer form if it has more buffers than the device can bind. `Unsupported` if both fail.
[[nodiscard]] Result<backend::PipelineHandle> find_written(CompiledProgram& compiled);

/// All pipelines of a program that the session has used.
[[nodiscard]] std::vector<backend::PipelineHandle> pipelines_of(const CompiledProgram& compiled);

/// The error for a wrong number of buffers: `InvalidArgument` that lists the buffers of the program. Buffers that the
/// kernel declares and does not use are not among them.
[[nodiscard]] std::unexpected<Error> wrong_buffer_count(const CompiledProgram& program, std::size_t given);

/// Writes parameters to `room`, in the layout of the program's push-constant block. `room` has `push_bytes` bytes.
/// `InvalidArgument`, naming the member, if the parameters do not fit the block.
[[nodiscard]] Result<void> lay_out(const CompiledProgram& program, const Params& params, std::byte* room);

}  // namespace vyre::runtime
