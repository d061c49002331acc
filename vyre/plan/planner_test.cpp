#include <vyre/plan/planner.hpp>

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

using testing::ElementsAre;

Operation dispatch(std::uint32_t program, std::uint32_t from, std::uint32_t to) {
  return {.kind = OperationKind::Dispatch,
          .program = program,
          .touches = {{.buffer = from, .begin = 0, .end = 64, .writes = false},
                      {.buffer = to, .begin = 0, .end = 64, .writes = true}}};
}

Operation fill(std::uint32_t buffer) {
  return {.kind = OperationKind::Fill, .touches = {{.buffer = buffer, .begin = 0, .end = 64, .writes = true}}};
}

Operation copy(std::uint32_t from, std::uint32_t to) {
  Operation operation = dispatch(0, from, to);
  operation.kind = OperationKind::Copy;
  return operation;
}

/// Two fills, their uses by two programs in turn, and a copy of a result.
std::vector<Operation> example() {
  return {fill(0),      fill(1), dispatch(7, 0, 10), dispatch(3, 1, 11), dispatch(7, 0, 12), dispatch(7, 1, 13),
          copy(12, 14), fill(20)};
}

std::string label(std::uint32_t program) { return program == 3 ? "scan" : "saxpy"; }

TEST(Planner, GroupsAlikeOperationsOfAWave) {
  const Plan plan = make_plan(example());
  const Plan expected{.arms = {{.first = 0, .count = 3}},
                      .waves = {{.first = 0, .count = 1}, {.first = 1, .count = 2}, {.first = 3, .count = 1}},
                      .groups = {{.kind = OperationKind::Fill, .program = 0, .first = 0, .count = 3},
                                 {.kind = OperationKind::Dispatch, .program = 3, .first = 3, .count = 1},
                                 {.kind = OperationKind::Dispatch, .program = 7, .first = 4, .count = 3},
                                 {.kind = OperationKind::Copy, .program = 0, .first = 7, .count = 1}},
                      .operations = {0, 1, 7, 3, 2, 4, 5, 6}};
  EXPECT_EQ(plan, expected);
  EXPECT_EQ(plan.counts(),
            (PlanCounts{.arms = 1, .waves = 3, .largest_wave = 4, .barriers = 2, .barriers_avoided = 5}));
}

TEST(Planner, PlansNothingAsNothing) {
  const Plan plan = make_plan({});
  EXPECT_EQ(plan, Plan{});
  EXPECT_EQ(plan.counts(), PlanCounts{});
  EXPECT_EQ(to_text(plan, label), "0 operations in 0 waves: 0 barriers placed, 0 avoided\n");
}

TEST(Planner, PutsIndependentPartsIntoArms) {
  // Two chains of copies that share what they read, and a third that one of them feeds.
  const std::vector<Operation> operations{copy(9, 1), copy(9, 5), copy(1, 2), copy(5, 6), copy(2, 3)};
  const Plan plan = make_plan(operations, 2);
  const Plan expected{.arms = {{.first = 0, .count = 3}, {.first = 3, .count = 2}},
                      .waves = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}},
                      .groups = {{OperationKind::Copy, 0, 0, 1},
                                 {OperationKind::Copy, 0, 1, 1},
                                 {OperationKind::Copy, 0, 2, 1},
                                 {OperationKind::Copy, 0, 3, 1},
                                 {OperationKind::Copy, 0, 4, 1}},
                      .operations = {0, 2, 4, 1, 3}};
  EXPECT_EQ(plan, expected);
  EXPECT_EQ(plan.counts(),
            (PlanCounts{.arms = 2, .waves = 3, .largest_wave = 2, .barriers = 3, .barriers_avoided = 1}));
  EXPECT_EQ(make_plan(operations, 1).arms.size(), 1);
  EXPECT_THAT(to_text(plan, label), testing::HasSubstr("arm 1\nwave 0\n  1 × copy: 1\n"));
}

TEST(Plan, ReadsAsWaves) {
  EXPECT_EQ(to_text(make_plan(example()), label),
            "8 operations in 3 waves: 2 barriers placed, 5 avoided\n"
            "wave 0\n"
            "  3 × fill: 0-1, 7\n"
            "wave 1\n"
            "  1 × dispatch scan: 3\n"
            "  3 × dispatch saxpy: 2, 4-5\n"
            "wave 2\n"
            "  1 × copy: 6\n");
}

TEST(Plan, ShortensRunsOfOperations) {
  std::vector<Operation> operations;
  for (std::uint32_t i = 0; i < 71; ++i) operations.push_back(i < 64 || i == 70 ? fill(i) : copy(0, 100 + i));
  EXPECT_THAT(to_text(make_plan(operations), label), testing::HasSubstr("65 × fill: 0-63, 70\n"));
}

TEST(Plan, HashesWhatItComparesBy) {
  const Plan plan = make_plan(example());
  EXPECT_EQ(hash_of(plan), hash_of(make_plan(example())));
  std::vector<Plan> others(6, plan);
  others[0].waves.emplace_back();
  others[1].groups[0].kind = OperationKind::Copy;
  others[2].groups[1].program = 4;
  others[3].arms[0].count = 2;
  others[4].operations[0] = 3;
  others[5].groups.emplace_back();
  for (const Plan& other : others) {
    EXPECT_NE(other, plan);
    EXPECT_NE(hash_of(other), hash_of(plan));
  }
}

TEST(Planner, HasEveryOperationOnceInTheWaveThatTheFinderGives) {
  std::mt19937 random{1};
  const auto pick = [&random](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Operation> operations;
    for (std::uint32_t count = pick(40); count != 0; --count) {
      const std::uint32_t program = pick(4);
      const std::uint32_t from = pick(8);
      operations.push_back(program == 0 ? fill(from) : dispatch(program, from, pick(8)));
    }
    const Plan plan = make_plan(operations);
    WaveFinder finder;
    std::vector<std::uint32_t> expected;
    for (const Operation& operation : operations) expected.push_back(finder.add(operation.touches));
    std::vector<std::uint32_t> waves(operations.size(), 1'000);
    for (std::uint32_t wave = 0; wave < plan.waves.size(); ++wave) {
      ASSERT_GT(plan.waves[wave].count, 0);
      for (const Group& group : plan.groups_of(plan.waves[wave])) {
        for (const std::uint32_t i : plan.operations_of(group)) {
          EXPECT_EQ(operations[i].kind, group.kind);
          EXPECT_EQ(operations[i].program, group.program);
          waves.at(i) = wave;
        }
      }
    }
    EXPECT_EQ(waves, expected);
    EXPECT_EQ(plan.operations.size(), operations.size());
  }
}

TEST(OperationKind, HasANameEach) {
  EXPECT_THAT(
      (std::vector{to_string(OperationKind::Dispatch), to_string(OperationKind::Copy), to_string(OperationKind::Fill)}),
      ElementsAre("dispatch", "copy", "fill"));
}

}  // namespace
}  // namespace vyre::plan
