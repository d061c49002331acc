#include <gtest/gtest.h>

#include <vyre/choice/line.hpp>

namespace vyre::choice {
namespace {

TEST(FitLine, GivesTheLineThatPointsLieOn) {
  const std::array points{Point{1, 110}, Point{8, 180}, Point{48, 580}};
  const Line line = fit_line(points);
  EXPECT_NEAR(line.fixed_ns, 100, 1e-6);
  EXPECT_NEAR(line.slope_ns, 10, 1e-6);
}

}  // namespace
}  // namespace vyre::choice
