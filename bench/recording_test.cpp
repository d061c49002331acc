#include "bench/recording.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace vyre::bench {
namespace {

using choice::Way;
using testing::HasSubstr;

Recording make_recording() {
  Recording recording{.device = "a device", .configuration = "inline", .date = "2026-11-19"};
  recording.calibration.signature = "a driver";
  recording.calibration.way(Way::Chain) = {.fixed_ns = 1500, .slope_ns = 2.5};
  recording.calibration.has_form = {true, true, false, false, true};
  recording.calibration.forms[1] = {.narrow = 1.5, .wide = 2, .compile = 3};
  recording.calibration.bindless_crossover = 33;
  RecordedWorkload workload{
      .name = "10 chained, same",
      .per_wait = 2,
      .shape = {.key = ~std::uint64_t{0}, .kinds = {{.program = 7, .count = 10}}, .dispatches = 10},
      .forms = {{.possible = {true, true}}},
      .plan_ns = 25,
      .other_cores = 0.5};
  workload.kernels_ns.push_back({250.5, std::nullopt, 1});
  workload.blocks.push_back({.round = 0, .way = Way::Batched, .start_ns = 1000, .runs = {{52'340, 40'100, 500}}});
  workload.blocks.push_back(
      {.round = 0, .way = Way::Table, .start_ns = 54'000, .runs = {{1e6, 2e6, 0}, {2e6, 1e6, 0}}});
  recording.workloads = {workload};
  return recording;
}

TEST(Recording, AFileHoldsEverything) {
  const std::string path = testing::TempDir() + "vyre_recording_test.gz";
  const Recording recording = make_recording();
  ASSERT_TRUE(write_recording(path, recording));
  const auto read = read_recording(path);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, recording);
  std::filesystem::remove(path);
}

TEST(Recording, AMistakeIsNamedWithItsLine) {
  const std::string good = to_text(make_recording());
  const auto message = [](const std::string& text) {
    const auto parsed = parse_recording(text);
    return parsed ? std::string{"no error"} : to_string(parsed.error());
  };
  const auto replace = [&](const std::string& what, const std::string& by) {
    std::string text = good;
    return text.replace(text.find(what), what.size(), by);
  };
  EXPECT_EQ(message(good), "no error");
  EXPECT_THAT(message(""), HasSubstr("while reading line 1"));
  EXPECT_THAT(message("vyre-recording 2\n"), HasSubstr("begins with 'vyre-recording 1'"));
  EXPECT_THAT(message("vyre-recording 1\n"), HasSubstr("while reading line 2"));
  EXPECT_THAT(message(replace("\"date\"", "\"data\"")), HasSubstr("date"));
  EXPECT_THAT(message(replace("\"per_wait\":2", "\"per_wait\":\"two\"")), HasSubstr("while reading line 3"));
  EXPECT_THAT(message(replace("0 batched", "0 launched")), HasSubstr("while reading line 4"));
  EXPECT_THAT(message(replace("52.34:", "52.34;")), HasSubstr("while reading line 4"));
  EXPECT_THAT(message(replace("52.34:", "-1:")), HasSubstr("while reading line 4"));
}

TEST(Recording, AFileThatIsCutOffIsRefused) {
  const std::string path = testing::TempDir() + "vyre_recording_cut.gz";
  ASSERT_TRUE(write_recording(path, make_recording()));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);
  const auto read = read_recording(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
  std::filesystem::remove(path);
  const auto missing = read_recording(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::Unavailable);
}

TEST(Recording, ADisturbedCalibrationDoesNotCount) {
  std::vector<choice::Calibration> calibrations(3, make_recording().calibration);
  calibrations[0].way(Way::Chain).slope_ns = 1e6;
  calibrations[2].barrier_ns = 1e9;
  EXPECT_EQ(median_of(calibrations), make_recording().calibration);
}

TEST(Recording, AboutHalfOfTheNamesAreForTuning) {
  int tuning = 0;
  for (int i = 0; i < 1000; ++i) tuning += is_for_tuning("workload " + std::to_string(i)) ? 1 : 0;
  EXPECT_NEAR(tuning, 500, 60);
  // Which half a workload is in never changes.
  EXPECT_TRUE(is_for_tuning("a"));
  EXPECT_FALSE(is_for_tuning("b"));
}

}  // namespace
}  // namespace vyre::bench
