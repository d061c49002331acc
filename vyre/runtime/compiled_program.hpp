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

/// One member of the push constants.
struct ParamSlot {
  std::string name = {};
  std::string type = {};
  std::uint32_t offset = 0;
  bool is_plain = false;  ///< Whether it is a scalar or vector, as the next three say.
  program::ScalarKind kind = program::ScalarKind::Uint;
  std::uint8_t bits = 32;
  std::uint8_t components = 1;

  [[nodiscard]] bool takes(const Params::Value& value) const noexcept {
    return is_plain && kind == value.kind && bits == value.bits && components == value.components;
  }
};

/// A variant of a program: the bindings to which dispatches gave overlapping buffers are declared `Aliased`.
struct AliasedProgram {
  std::vector<program::BindingPlace> bindings;  ///< Sorted.
  program::Program program;
};

/// A program on a device, with what is needed to check a dispatch of it.
struct CompiledProgram {
  program::Program program;
  std::vector<program::spirv::SpecOverride> values;
  std::shared_ptr<SharedPipelines> shared;                 ///< Owns the pipelines.
  backend::PipelineHandle pipeline = {};                   ///< Dispatches are gathered with this pipeline.
  program::FormKind form = program::FormKind::Descriptor;  ///< The form of `pipeline`.
  /// The pipeline for dispatches that a derived form does not suit. `find_written` compiles it.
  backend::PipelineHandle written_pipeline = {};
  program::FormKind written_form = program::FormKind::Descriptor;
  /// By form: the pipelines in forms other than `form` that were needed so far, and the forms that were refused.
  std::array<backend::PipelineHandle, program::kForms> others = {};
  std::array<bool, program::kForms> refused = {};
  std::string form_refused = {};  ///< Why the program does not have a form that was wanted.
  std::uint64_t id = 0;           ///< Names the program and its specialisation in every process.
  plan::BindingPlan bindings = {};
  std::vector<AliasedProgram> aliased = {};  ///< Variants that dispatches with overlapping buffers needed.
  std::string in_place = {};                 ///< The bindings that this program declares `Aliased`, if it is a variant.
  std::vector<ParamSlot> params = {};        ///< By offset.
  std::uint32_t push_bytes = 0;

  /// Its pipeline in a form; of generation 0 if that was not compiled.
  [[nodiscard]] backend::PipelineHandle pipeline_in(program::FormKind wanted) const noexcept {
    return wanted == form ? pipeline : others[static_cast<std::size_t>(wanted)];
  }
};

/// Compiles a program for a device, in a form if it has that, and works out what a dispatch of it must give.
[[nodiscard]] Result<CompiledProgram> compile_program(backend::Device& device, const program::Program& program,
                                                      std::span<const program::spirv::SpecOverride> values,
                                                      program::FormKind wanted);

/// Its pipeline in another form, compiled if no session has needed that before, which may wait for what is pending.
/// `Unsupported` if it has none.
[[nodiscard]] Result<backend::PipelineHandle> find_form(CompiledProgram& compiled, program::FormKind form,
                                                        std::chrono::nanoseconds timeout);

/// Its pipeline for dispatches that a form does not suit, compiled if there is none: the kernel as written, or the
/// pointer form where the kernel has more buffers than the device binds. `Unsupported` if it has neither.
[[nodiscard]] Result<backend::PipelineHandle> find_written(CompiledProgram& compiled);

/// All its pipelines that the session has used.
[[nodiscard]] std::vector<backend::PipelineHandle> pipelines_of(const CompiledProgram& compiled);

/// `InvalidArgument`, saying which buffers a program has: those that its kernel declares and does not use are none.
[[nodiscard]] std::unexpected<Error> wrong_buffer_count(const CompiledProgram& program, std::size_t given);

/// Lays parameters out as the program's block is, in `push_bytes` of room. `InvalidArgument`, naming the member, if
/// they do not fit.
[[nodiscard]] Result<void> lay_out(const CompiledProgram& program, const Params& params, std::byte* room);

}  // namespace vyre::runtime
