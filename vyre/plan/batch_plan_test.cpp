#include <vyre/plan/batch_plan.hpp>

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

using testing::ElementsAre;

Operation dispatch(std::uint32_t program, std::string label, std::uint32_t from, std::uint32_t to) {
  return {.kind = OperationKind::Dispatch,
          .program = program,
          .label = std::move(label),
          .touches = {{.buffer = from, .begin = 0, .end = 64, .writes = false},
                      {.buffer = to, .begin = 0, .end = 64, .writes = true}}};
}

Operation fill(std::uint32_t buffer) {
  return {.kind = OperationKind::Fill, .touches = {{.buffer = buffer, .begin = 0, .end = 64, .writes = true}}};
}

Operation copy(std::uint32_t from, std::uint32_t to) {
  Operation operation = dispatch(0, "", from, to);
  operation.kind = OperationKind::Copy;
  return operation;
}

/// Two fills, their uses by two programs in turn, and a copy of a result.
std::vector<Operation> example() {
  return {fill(0),
          fill(1),
          dispatch(7, "saxpy", 0, 10),
          dispatch(3, "scan", 1, 11),
          dispatch(7, "saxpy", 0, 12),
          dispatch(7, "saxpy", 1, 13),
          copy(12, 14),
          fill(20)};
}

TEST(BatchPlan, GroupsAlikeOperationsOfAWave) {
  const BatchPlan plan = make_batch_plan(example());
  const BatchPlan expected{
      .waves = {
          {.groups = {{.kind = OperationKind::Fill, .operations = {0, 1, 7}}}},
          {.groups = {{.kind = OperationKind::Dispatch, .program = 3, .label = "scan", .operations = {3}},
                      {.kind = OperationKind::Dispatch, .program = 7, .label = "saxpy", .operations = {2, 4, 5}}}},
          {.groups = {{.kind = OperationKind::Copy, .operations = {6}}}}}};
  EXPECT_EQ(plan, expected);
  EXPECT_EQ(plan.operations(), 8U);
  EXPECT_EQ(plan.barriers(), 2U);
  EXPECT_EQ(plan.barriers_avoided(), 5U);
}

TEST(BatchPlan, OfNothingIsEmpty) {
  const BatchPlan plan = make_batch_plan({});
  EXPECT_EQ(plan, BatchPlan{});
  EXPECT_EQ(plan.operations(), 0U);
  EXPECT_EQ(plan.barriers(), 0U);
  EXPECT_EQ(plan.barriers_avoided(), 0U);
  EXPECT_EQ(to_text(plan), "0 operations in 0 waves: 0 barriers placed, 0 avoided\n");
}

TEST(BatchPlan, ReadsAsWaves) {
  EXPECT_EQ(to_text(make_batch_plan(example())),
            "8 operations in 3 waves: 2 barriers placed, 5 avoided\n"
            "wave 0\n"
            "  3 × fill: 0-1, 7\n"
            "wave 1\n"
            "  1 × dispatch scan: 3\n"
            "  3 × dispatch saxpy: 2, 4-5\n"
            "wave 2\n"
            "  1 × copy: 6\n");
}

TEST(BatchPlan, NamesAProgramWithoutALabelByItsNumber) {
  EXPECT_EQ(to_text(make_batch_plan(std::vector{dispatch(4, "", 0, 1)})),
            "1 operation in 1 wave: 0 barriers placed, 0 avoided\n"
            "wave 0\n"
            "  1 × dispatch program 4: 0\n");
}

TEST(BatchPlan, ShortensRunsOfOperations) {
  std::vector<Operation> operations;
  for (std::uint32_t i = 0; i < 71; ++i) operations.push_back(i < 64 || i == 70 ? fill(i) : copy(0, 100 + i));
  EXPECT_THAT(to_text(make_batch_plan(operations)), testing::HasSubstr("65 × fill: 0-63, 70\n"));
}

TEST(BatchPlan, HashesWhatItComparesBy) {
  const BatchPlan plan = make_batch_plan(example());
  EXPECT_EQ(hash_of(plan), hash_of(make_batch_plan(example())));
  std::vector<BatchPlan> others(6, plan);
  others[0].waves.emplace_back();
  others[1].waves[0].groups[0].kind = OperationKind::Copy;
  others[2].waves[1].groups[0].program = 4;
  others[3].waves[1].groups[0].label = "scam";
  others[4].waves[1].groups[1].operations[0] = 3;
  others[5].waves[0].groups.emplace_back();
  for (const BatchPlan& other : others) {
    EXPECT_NE(other, plan);
    EXPECT_NE(hash_of(other), hash_of(plan));
  }
}

TEST(BatchPlan, HasEveryOperationOnceInTheWaveThatTheFinderGives) {
  std::mt19937 random{1};
  const auto pick = [&random](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Operation> operations;
    for (std::uint32_t count = pick(40); count != 0; --count) {
      const std::uint32_t program = pick(4);
      const std::uint32_t from = pick(8);
      operations.push_back(program == 0 ? fill(from) : dispatch(program, "", from, pick(8)));
    }
    const BatchPlan plan = make_batch_plan(operations);
    WaveFinder finder;
    std::vector<std::uint32_t> expected;
    for (const Operation& operation : operations) expected.push_back(finder.add(operation.touches));
    std::vector<std::uint32_t> waves(operations.size(), 1'000);
    for (std::uint32_t wave = 0; wave < plan.waves.size(); ++wave) {
      ASSERT_FALSE(plan.waves[wave].groups.empty());
      for (const Group& group : plan.waves[wave].groups) {
        for (const std::uint32_t i : group.operations) {
          EXPECT_EQ(operations[i].kind, group.kind);
          EXPECT_EQ(operations[i].program, group.program);
          waves.at(i) = wave;
        }
      }
    }
    EXPECT_EQ(waves, expected);
    EXPECT_EQ(plan.operations(), operations.size());
  }
}

TEST(OperationKind, HasANameEach) {
  EXPECT_THAT(
      (std::vector{to_string(OperationKind::Dispatch), to_string(OperationKind::Copy), to_string(OperationKind::Fill)}),
      ElementsAre("dispatch", "copy", "fill"));
}

}  // namespace
}  // namespace vyre::plan
