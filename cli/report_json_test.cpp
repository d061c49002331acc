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
                            .bindless_threshold = 16,
                            .proposed = choice::Way::Replay,
                            .chosen = choice::Way::MergedReplay,
                            .batches = 12,
                            .trials = 3,
                            .disturbed = 1,
                            .total_ns = 1000,
                            .tried_ns = 20,
                            .baseline_ns = 1200,
                            .predicted_saving_ns = 300,
                            .measured_saving_ns = 280};
  report::GroupReport group{.program = "scale", .kind = {.count = 20, .groups = 2}};
  group.kernel_ns[static_cast<std::size_t>(FormKind::Merged)] = 1500;
  group.kernel_ns[static_cast<std::size_t>(FormKind::Descriptor)] = -3;
  shape.groups = {group};
  shape.ways = {{.way = choice::Way::Replay,
                 .predicted_ns = 10,
                 .setup_ns = 5,
                 .observed_ns = 11,
                 .scaled = 1.5,
                 .samples = 4,
                 .used_below_ns = 9}};
  return shape;
}

TEST(ReportJson, IsReadAsItWasWritten) {
  const report::ShapeReport shape = some_shape();
  const auto read = parse_shapes(fmt::format(R"({{"shapes": [{}]}})", to_json(shape)));
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front(), shape);
}

TEST(ReportJson, TellsWhatKernelsWereSeenToTake) {
  EXPECT_THAT(to_text(some_shape()),
              HasSubstr("scale, 0 buffers; its kernel takes -3 ns (descriptor), 1500 ns (merged)"));
}

TEST(ReportJson, TellsWhatIsNotAsItWasMeasuredAndWhatWouldBeUsed) {
  report::ShapeReport shape = some_shape();
  EXPECT_THAT(to_text(shape), HasSubstr("~11 ns"));
  EXPECT_THAT(to_text(shape), HasSubstr("~ scaled since as what is used was"));
  EXPECT_THAT(to_text(shape), HasSubstr("3 trials, 1 of them disturbed, in 2.0 % of the time"));
  EXPECT_THAT(to_text(shape), HasSubstr("        9 ns\n"));
  EXPECT_THAT(to_text(shape), HasSubstr("nothing more was known then"));
  shape.ways[0].scaled = 1;
  shape.groups[0].facts.persistent.per_item_kernel_ns = 7;
  EXPECT_THAT(to_text(shape), Not(HasSubstr("~")));
  EXPECT_THAT(to_text(shape), Not(HasSubstr("nothing more was known then")));
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
