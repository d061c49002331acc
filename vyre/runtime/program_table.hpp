#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/plan/batch.hpp>
#include <vyre/runtime/compiled_program.hpp>

namespace vyre::runtime {

/// The programs that a session has compiled, each with a number.
///
/// The table has a maximum size. When it is full, the next program replaces the one that was launched least recently,
/// and gets its number. Thread safety: one thread at a time.
class ProgramTable {
 public:
  /// `form` is the form in which dispatches are gathered. Those of a program without that form are gathered as written.
  ProgramTable(std::size_t max_programs, program::FormKind form) noexcept : max_programs_{max_programs}, form_{form} {}

  [[nodiscard]] program::FormKind form() const noexcept { return form_; }

  /// The number of a program with these values of its specialisation constants, if it is in the table.
  [[nodiscard]] std::optional<std::uint32_t> find(const program::Program& program,
                                                  std::span<const program::spirv::SpecOverride> values);
  [[nodiscard]] bool is_full() const noexcept { return programs_.size() >= max_programs_; }
  /// The program that was launched least recently among those for which `is_needed(number)` is false.
  template <typename IsNeeded>
  [[nodiscard]] std::optional<std::uint32_t> oldest(IsNeeded is_needed) const;
  /// Adds a program and gives its number. If `place` is given, the program replaces the one with that number.
  std::uint32_t insert(CompiledProgram made, std::optional<std::uint32_t> place);

  [[nodiscard]] CompiledProgram& operator[](std::uint32_t number) noexcept { return programs_[number]; }
  [[nodiscard]] const CompiledProgram& operator[](std::uint32_t number) const noexcept { return programs_[number]; }
  [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }
  [[nodiscard]] std::span<const CompiledProgram> all() const noexcept { return programs_; }

  /// Notes that a pipeline belongs to a program, for `program_of`.
  void note_pipeline(backend::PipelineHandle pipeline, std::uint32_t program);
  [[nodiscard]] std::uint32_t program_of(std::uint32_t pipeline_index) const noexcept {
    return program_of_[pipeline_index];
  }
  [[nodiscard]] std::uint32_t program_of(backend::PipelineHandle pipeline) const noexcept {
    return program_of_[pipeline.index];
  }
  /// The function `writes_of` that `plan::Planner` needs: for a pipeline, which ranges its dispatches write.
  [[nodiscard]] auto writes_of() const noexcept {
    return [this](backend::PipelineHandle pipeline) -> const std::vector<bool>& {
      return programs_[program_of(pipeline)].bindings.writes;
    };
  }

  /// Whether a batch has the first launch of a program, during which drivers compile.
  [[nodiscard]] bool has_first_launch(const plan::Batch& batch) const noexcept;
  /// Notes that a batch with this number was launched: its programs are now the most recently launched ones.
  void note_launch(const plan::Batch& batch, std::uint64_t number) noexcept;

 private:
  std::size_t max_programs_;
  program::FormKind form_;
  std::vector<CompiledProgram> programs_;
  std::vector<std::uint64_t> last_launch_;  // By program: the number of the last batch that launched it; 0 if none has.
  std::vector<std::uint32_t> program_of_;   // By index of a pipeline's handle: the program's number.
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
