#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/plan/batch.hpp>
#include <vyre/runtime/compiled_program.hpp>

namespace vyre::runtime {

/// The programs that a session has compiled, by number.
///
/// Bounded: in a full table, the next program takes the number of the program that was launched least recently. Thread
/// safety: one thread at a time.
class ProgramTable {
 public:
  /// `form` is the form in which dispatches are gathered; a program that lacks it gathers as written.
  ProgramTable(std::size_t max_programs, program::FormKind form) noexcept : max_programs_{max_programs}, form_{form} {}

  [[nodiscard]] program::FormKind form() const noexcept { return form_; }

  /// The number of a program with these values of its specialisation constants, if it is here.
  [[nodiscard]] std::optional<std::uint32_t> find(const program::Program& program,
                                                  std::span<const program::spirv::SpecOverride> values);
  [[nodiscard]] bool is_full() const noexcept { return programs_.size() >= max_programs_; }
  /// The program that was launched least recently among those for which `is_needed(number)` is false.
  template <typename IsNeeded>
  [[nodiscard]] std::optional<std::uint32_t> oldest(IsNeeded is_needed) const;
  /// Adds a program, at `place` instead of another one if that is given. Gives its number.
  std::uint32_t insert(CompiledProgram made, std::optional<std::uint32_t> place);

  [[nodiscard]] CompiledProgram& operator[](std::uint32_t number) noexcept { return programs_[number]; }
  [[nodiscard]] const CompiledProgram& operator[](std::uint32_t number) const noexcept { return programs_[number]; }
  [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }
  [[nodiscard]] std::span<const CompiledProgram> all() const noexcept { return programs_; }

  /// Notes that a pipeline is one of a program's.
  void note_pipeline(backend::PipelineHandle pipeline, std::uint32_t program);
  [[nodiscard]] std::uint32_t program_of(std::uint32_t pipeline_index) const noexcept {
    return program_of_[pipeline_index];
  }
  [[nodiscard]] std::uint32_t program_of(backend::PipelineHandle pipeline) const noexcept {
    return program_of_[pipeline.index];
  }
  /// The callable `writes_of` that `plan::Planner` takes: by pipeline, whether each range of a dispatch is written.
  [[nodiscard]] auto writes_of() const noexcept {
    return [this](backend::PipelineHandle pipeline) -> const std::vector<bool>& {
      return programs_[program_of(pipeline)].bindings.writes;
    };
  }

  /// Whether a batch has the first launch of a program, during which drivers compile.
  [[nodiscard]] bool has_first_launch(const plan::Batch& batch) const noexcept;
  /// Notes that the batch of this number was launched.
  void note_launch(const plan::Batch& batch, std::uint64_t number) noexcept;

 private:
  std::size_t max_programs_;
  program::FormKind form_;
  std::vector<CompiledProgram> programs_;
  std::vector<std::uint64_t> last_launch_;  // By program: the number of a batch; 0 before the first.
  std::vector<std::uint32_t> program_of_;   // By index of the pipeline's handle.
  std::uint32_t last_found_ = 0;
};

template <typename IsNeeded>
std::optional<std::uint32_t> ProgramTable::oldest(IsNeeded is_needed) const {
  std::optional<std::uint32_t> oldest;
  for (std::uint32_t i = 0; i < programs_.size(); ++i) {
    if (!is_needed(i) && (!oldest || last_launch_[i] < last_launch_[*oldest])) oldest = i;
  }
  return oldest;
}

}  // namespace vyre::runtime
