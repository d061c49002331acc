#include <vyre/runtime/program_table.hpp>

#include <array>

#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using program::FormKind;
using program::spirv::SpecOverride;
using tests::add_program;
using tests::scale_program;
using tests::StageRig;

constexpr std::array<SpecOverride, 1> kTriple = {{{.spec_id = 7, .bits = 3}}};

plan::Batch batch_of(std::uint32_t program) {
  plan::Batch batch;
  batch.count(program, 1);
  return batch;
}

TEST(ProgramTable, AProgramAndItsSpecialisationHaveOneNumber) {
  StageRig rig;
  const std::uint32_t plain = rig.add(scale_program());
  const std::uint32_t tripled = rig.add(scale_program(), kTriple);
  EXPECT_NE(plain, tripled);
  EXPECT_EQ(rig.programs.find(scale_program(), {}), plain);
  EXPECT_EQ(rig.programs.find(scale_program(), kTriple), tripled);
  EXPECT_EQ(rig.programs.find(add_program(), {}), std::nullopt);
  EXPECT_EQ(rig.programs.size(), 2);
}

TEST(ProgramTable, KnowsTheProgramOfAPipeline) {
  StageRig rig;
  const std::uint32_t scale = rig.add(scale_program());
  const std::uint32_t add = rig.add(add_program());
  EXPECT_EQ(rig.programs.program_of(rig.programs[scale].pipeline), scale);
  EXPECT_EQ(rig.programs.program_of(rig.programs[add].pipeline), add);
  EXPECT_EQ(rig.programs.writes_of()(rig.programs[add].pipeline), (std::vector<bool>{false, true}));
  const backend::PipelineHandle merged = find_form(rig.programs[add], FormKind::Merged, backend::kForever).value();
  rig.programs.note_pipeline(merged, add);
  EXPECT_EQ(rig.programs.program_of(merged), add);
}

TEST(ProgramTable, GivesTheNumberOfTheProgramLaunchedLongestAgo) {
  StageRig rig;
  rig.programs = ProgramTable{3, FormKind::Descriptor};
  const std::uint32_t first = rig.add(scale_program());
  const std::uint32_t second = rig.add(add_program());
  EXPECT_FALSE(rig.programs.is_full());
  const std::uint32_t third = rig.add(scale_program(), kTriple);
  EXPECT_TRUE(rig.programs.is_full());
  rig.programs.note_launch(batch_of(first), 5);
  rig.programs.note_launch(batch_of(second), 3);
  rig.programs.note_launch(batch_of(third), 4);
  const auto nothing = [](std::uint32_t) { return false; };
  EXPECT_EQ(rig.programs.oldest(nothing), second);
  EXPECT_EQ(rig.programs.oldest([&](std::uint32_t number) { return number == second; }), third);
  EXPECT_EQ(rig.programs.oldest([](std::uint32_t) { return true; }), std::nullopt);

  // Another program in its place is a new one: it was never launched.
  const std::array<SpecOverride, 1> nine = {{{.spec_id = 7, .bits = 9}}};
  CompiledProgram made = compile_program(rig.device, scale_program(), nine, FormKind::Descriptor).value();
  EXPECT_EQ(rig.programs.insert(std::move(made), second), second);
  EXPECT_EQ(rig.programs.find(add_program(), {}), std::nullopt);
  EXPECT_EQ(rig.programs.find(scale_program(), nine), second);
  EXPECT_TRUE(rig.programs.has_first_launch(batch_of(second)));
}

TEST(ProgramTable, KnowsWhetherABatchLaunchesAProgramForTheFirstTime) {
  StageRig rig;
  const std::uint32_t scale = rig.add(scale_program());
  const plan::Batch batch = batch_of(scale);
  EXPECT_TRUE(rig.programs.has_first_launch(batch));
  rig.programs.note_launch(batch, 1);
  EXPECT_FALSE(rig.programs.has_first_launch(batch));
  EXPECT_FALSE(rig.programs.has_first_launch({})) << "a batch without dispatches launches no program";
}

}  // namespace
}  // namespace vyre::runtime
