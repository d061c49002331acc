#include <vyre/runtime/program_table.hpp>

#include <algorithm>
#include <utility>

namespace vyre::runtime {

std::optional<std::uint32_t> ProgramTable::find(const program::Program& program,
                                                std::span<const program::spirv::SpecOverride> values) {
  const auto is_same = [&](const CompiledProgram& each) {
    return each.program.module_hash() == program.module_hash() &&
           each.program.interface_hash() == program.interface_hash() && std::ranges::equal(each.values, values);
  };
  if (last_found_ < programs_.size() && is_same(programs_[last_found_])) return last_found_;
  const auto found = std::ranges::find_if(programs_, is_same);
  if (found == programs_.end()) return std::nullopt;
  last_found_ = static_cast<std::uint32_t>(found - programs_.begin());
  return last_found_;
}

std::uint32_t ProgramTable::insert(CompiledProgram made, std::optional<std::uint32_t> place) {
  const std::uint32_t number = place.value_or(static_cast<std::uint32_t>(programs_.size()));
  for (const backend::PipelineHandle pipeline : pipelines_of(made)) note_pipeline(pipeline, number);
  if (place) {
    programs_[number] = std::move(made);
    last_launch_[number] = 0;
  } else {
    programs_.push_back(std::move(made));
    last_launch_.push_back(0);
  }
  last_found_ = number;
  return number;
}

void ProgramTable::note_pipeline(backend::PipelineHandle pipeline, std::uint32_t program) {
  if (pipeline.index >= program_of_.size()) program_of_.resize(std::size_t{pipeline.index} + 1);
  program_of_[pipeline.index] = program;
}

bool ProgramTable::has_first_launch(const plan::Batch& batch) const noexcept {
  bool has = false;
  batch.for_each_program([&](std::uint32_t program, std::uint64_t) { has |= last_launch_[program] == 0; });
  return has;
}

void ProgramTable::note_launch(const plan::Batch& batch, std::uint64_t number) noexcept {
  batch.for_each_program([&](std::uint32_t program, std::uint64_t) { last_launch_[program] = number; });
}

}  // namespace vyre::runtime
