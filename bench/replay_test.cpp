#include "bench/replay.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

namespace vyre::bench {
namespace {

using choice::Way;

/// Times without noise: a chain takes a fifth of a list.
Recording make_recording() {
  Recording recording;
  recording.calibration.has_form = {true, true, true, true, true};
  for (const Way way : choice::kAllWays) recording.calibration.way(way) = {.fixed_ns = 5000, .slope_ns = 1000};
  RecordedWorkload workload{.name = "steps",
                            .shape = {.key = 1,
                                      .kinds = {{.program = 1, .groups = 100}},
                                      .dispatches = 100,
                                      .barriers = 99,
                                      .inner_barriers = 99},
                            .forms = {{.possible = {true, true, true, true, true}}}};
  for (std::uint32_t round = 0; round < 10; ++round) {
    for (const Way way : choice::kAllWays) {
      const double ns = choice::form_of(way) == program::FormKind::Chain ? 2e4 : 1e5;
      workload.blocks.push_back(
          {.round = round, .way = way, .runs = {{.wall_ns = 2 * ns}, {.wall_ns = ns}, {.wall_ns = ns}}});
    }
  }
  recording.workloads = {workload};
  return recording;
}

TEST(Replay, FindsTheFixedModeThatIsBest) {
  const Recording recording = make_recording();
  const ReplayedWorkload replayed = replay(recording, recording.workloads[0], {.programs = 2, .runs = 500});
  EXPECT_EQ(choice::form_of(replayed.best), program::FormKind::Chain);
  EXPECT_EQ(choice::form_of(replayed.chosen), program::FormKind::Chain);
  // Two programs of 500 runs; the first run of each takes twice as long.
  EXPECT_NEAR(replayed.fixed_ns[static_cast<std::size_t>(Way::Chain)], 2 * 501 * 2e4, 1);
  // Trials cost some percent.
  EXPECT_LT(replayed.late_regret(), 1.1);
}

TEST(Replay, ASeedGivesTheSameAgain) {
  const Recording recording = make_recording();
  const auto run = [&](std::uint64_t seed) { return replay(recording, recording.workloads[0], {.seed = seed}); };
  EXPECT_EQ(run(1).chosen_ns, run(1).chosen_ns);
  EXPECT_EQ(run(1).trial_ns, run(1).trial_ns);
}

TEST(Replay, ARunThatWasInterruptedCountsAsThreeOthers) {
  Recording recording = make_recording();
  recording.workloads[0].blocks[1].runs[1].wall_ns = 1e9;
  const ReplayedWorkload replayed = replay(recording, recording.workloads[0], {.programs = 4, .runs = 100});
  // Beside it a median run takes 1e5 ns, so that even if all runs were that one the list would take at most this.
  EXPECT_LE(replayed.fixed_ns[static_cast<std::size_t>(Way::Batched)], 4 * 100 * 3e5);
}

TEST(Replay, ASavingIsCoveredByTheIntervalThatHoldsNineTenths) {
  EXPECT_TRUE((ReplayedSaving{.predicted_ns = 100, .deviation_ns = 10, .measured_ns = 116}.is_covered()));
  EXPECT_FALSE((ReplayedSaving{.predicted_ns = 100, .deviation_ns = 10, .measured_ns = 117}.is_covered()));
}

TEST(Replay, TheMeanOfRatiosIsGeometric) {
  const LogMean mean = log_mean({1, 4});
  EXPECT_NEAR(mean.mean, 2, 1e-12);
  EXPECT_NEAR(mean.error, 0.6931, 1e-4);
}

/// Recorded times of lavapipe. The bounds leave room for other rules; `bench_choice --replay` gives the figures.
TEST(Replay, OnRecordedTimesTheChoiceIsNearTheBestModeAndBetterThanEachMode) {
  constexpr std::size_t kWorkloads = 40;
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator{VYRE_SOURCE_DIR "/bench/recordings"}) {
    if (each.path().extension() != ".gz") continue;
    SCOPED_TRACE(each.path().filename().string());
    ++files;
    const auto recording = read_recording(each.path().string());
    ASSERT_TRUE(recording) << to_string(recording.error());
    std::vector<ReplayedWorkload> replayed;
    for (std::size_t i = 0; i < std::min(kWorkloads, recording->workloads.size()); ++i) {
      replayed.push_back(replay(*recording, recording->workloads[i], {.programs = 2, .runs = 200}));
    }
    std::vector<const ReplayedWorkload*> all;
    for (const ReplayedWorkload& one : replayed) all.push_back(&one);
    const ReplaySummary summary = summarise(all);
    EXPECT_LT(summary.regret.mean, 1.15);
    EXPECT_LT(summary.trials_share, 0.05);
    for (const Way way : choice::kAllWays) {
      EXPECT_GT(summary.fixed[static_cast<std::size_t>(way)].mean, 0.95) << to_string(way);
    }
  }
  EXPECT_GE(files, 2U);
}

}  // namespace
}  // namespace vyre::bench
