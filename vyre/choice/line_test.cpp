#include <vyre/choice/line.hpp>

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::choice {
namespace {

TEST(FitLine, GivesTheLineThatPointsLieOn) {
  const std::array points{Point{.n = 1, .ns = 110}, Point{.n = 8, .ns = 180}, Point{.n = 48, .ns = 580}};
  const Line line = fit_line(points);
  EXPECT_NEAR(line.fixed_ns, 100, 1e-6);
  EXPECT_NEAR(line.slope_ns, 10, 1e-6);
}

TEST(FitLine, HasNoPartBelowZero) {
  const std::array falling{Point{.n = 1, .ns = 100}, Point{.n = 10, .ns = 50}};
  EXPECT_EQ(fit_line(falling).slope_ns, 0);
  EXPECT_GT(fit_line(falling).fixed_ns, 0);
  const std::array steep{Point{.n = 1, .ns = 1}, Point{.n = 10, .ns = 100}};
  EXPECT_EQ(fit_line(steep).fixed_ns, 0);
  EXPECT_GT(fit_line(steep).slope_ns, 0);
  EXPECT_EQ(fit_line({}), Line{});
  const std::array one{Point{.n = 5, .ns = 50}};
  EXPECT_EQ(fit_line(one), Line{.fixed_ns = 50});
}

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 7}), 6);
}

TEST(Trusted, DropsSamplesOfWhichTwoClocksDisagree) {
  // Usually the host waits 40 of 100; once it was away for 60 more.
  const std::array samples{ClockPair{.wall_ns = 100, .other_ns = 60}, ClockPair{.wall_ns = 102, .other_ns = 61},
                           ClockPair{.wall_ns = 160, .other_ns = 60}, ClockPair{.wall_ns = 98, .other_ns = 58}};
  EXPECT_EQ(trusted(samples), (std::vector<double>{100, 102, 98}));
  // And what stands far out, although they agree.
  const std::array far{ClockPair{.wall_ns = 100, .other_ns = 100}, ClockPair{.wall_ns = 100, .other_ns = 100},
                       ClockPair{.wall_ns = 400, .other_ns = 400}};
  EXPECT_EQ(trusted(far), (std::vector<double>{100, 100}));
  // Where none is usual, there is nothing to go by.
  const std::array odd{ClockPair{.wall_ns = 100, .other_ns = 100}, ClockPair{.wall_ns = 100, .other_ns = 40}};
  EXPECT_EQ(trusted(odd), (std::vector<double>{100, 100}));
}

}  // namespace
}  // namespace vyre::choice
