#include "cli/report_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/report/choice_report.hpp>

namespace vyre::cli {
namespace {

using program::FormKind;
using ::testing::HasSubstr;
using ::testing::Not;

report::ShapeReport some_shape() {
  report::ShapeReport shape{.dispatches = 40,
                            .barriers = 2,
                            .copies = 1,
                            .proposed = choice::Way::Replay,
                            .chosen = choice::Way::MergedReplay,
                            .batches = 12,
                            .trials = 3,
                            .samples = 12,
                            .total_ns = 1000,
                            .trial_cost_ns = 20,
                            .baseline_ns = 1200,
                            .launching_ns = 400,
                            .forecast_saving_ns = 300,
                            .measured_saving_ns = 280,
                            .saving_deviation_ns = 20};
  report::GroupReport group{.program = "scale", .kind = {.count = 20, .groups = 2}, .bindless_threshold = 16};
  group.kernel_ns[static_cast<std::size_t>(FormKind::Merged)] = 1500;
  group.kernel_ns[static_cast<std::size_t>(FormKind::Descriptor)] = -3;
  group.is_timed[static_cast<std::size_t>(FormKind::Merged)] = true;
  group.can_time = false;
  shape.groups = {group};
  shape.ways = {{.way = choice::Way::Replay,
                 .forecast_ns = 10,
                 .estimate_ns = 11,
                 .deviation = 0.1,
                 .setup_ns = 5,
                 .trials = 4,
                 .is_measured = true,
                 .used_below_ns = 9},
                {.way = choice::Way::MergedReplay, .forecast_ns = 900, .estimate_ns = 920, .is_measured = true}};
  return shape;
}

TEST(ReportJson, IsReadAsItWasWritten) {
  const report::ShapeReport shape = some_shape();
  const auto read = parse_shapes(fmt::format(R"({{"shapes": [{}]}})", to_json(shape)));
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front(), shape);
}

TEST(ReportText, BeginsWithSentencesAboutTheLaunchAndWhatItSaves) {
  const std::string text = to_text(some_shape());
  EXPECT_THAT(text, HasSubstr("launched as merged-replay: alike dispatches in one launch, recorded once and replayed"));
  EXPECT_THAT(text, HasSubstr("The policies' verdict is replay"));
  EXPECT_THAT(text, HasSubstr("saves 280 ns of 1200 ns a batch against recording anew (23 %), measured by trials: with "
                              "90 % certainty 247 ns to 313 ns; the forecast was 300 ns"));
  EXPECT_THAT(text, HasSubstr("A batch takes 920 ns (measured); launching it is forecast to take 400 ns of that"));
  EXPECT_THAT(text, HasSubstr("The nearest other mode is replay: measured at 11 ns a batch, and it would be used below "
                              "9 ns"));
  EXPECT_THAT(text, HasSubstr("3 trials cost 2.0 % of the time"));
}

TEST(ReportText, SaysOfAKernelItsTimeOrThatItIsUnknown) {
  report::ShapeReport shape = some_shape();
  EXPECT_THAT(
      to_text(shape),
      HasSubstr(
          "scale, 0 buffers; its kernel takes -3 ns (descriptor, from whole batches), 1500 ns (merged, measured)"));
  shape.groups[0].kernel_ns = {};
  EXPECT_THAT(to_text(shape), HasSubstr("scale, 0 buffers; its kernel's time is unknown"));
}

TEST(ReportText, CallsASavingMeasuredOnlyIfBothSidesWere) {
  report::ShapeReport shape = some_shape();
  shape.measured_saving_ns.reset();
  EXPECT_THAT(to_text(shape), HasSubstr("The forecast is a saving of 300 ns of 1200 ns a batch"));
  EXPECT_THAT(to_text(shape), HasSubstr("it is not measured"));
  EXPECT_THAT(to_text(shape), Not(HasSubstr("This saves")));
  shape.chosen = choice::Way::Batched;
  EXPECT_THAT(to_text(shape), HasSubstr("This is the baseline"));
}

TEST(CalibrationText, SaysFromHowManyBuffersOnATableIsLess) {
  choice::Calibration calibration{.bindless_crossover = 33};
  calibration.bound = {.fixed_ns = 100, .slope_ns = 10};
  calibration.table = {.fixed_ns = 10, .slope_ns = 5};
  EXPECT_THAT(report::to_text(calibration), HasSubstr("a tenth less from 33 buffers on"));
  // A little less is not enough.
  calibration.table = {.fixed_ns = 90, .slope_ns = 10};
  EXPECT_THAT(report::to_text(calibration),
              HasSubstr("a tenth less for none of up to 32 buffers, which is all that can be bound"));
}

}  // namespace
}  // namespace vyre::cli
