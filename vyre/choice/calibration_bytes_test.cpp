#include <vyre/choice/calibration_bytes.hpp>

#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::choice {
namespace {

/// A calibration in which no two numbers are alike.
Calibration calibration() {
  Calibration made{.device = "a device", .signature = "it, and its driver"};
  double next = 1;
  const auto line = [&] { return Line{.fixed_ns = next++, .slope_ns = next++}; };
  for (Line& each : made.ways) each = line();
  made.record = line();
  made.copy = line();
  made.barrier_ns = next++;
  for (FormRatios& each : made.forms) each = {.narrow = next++, .wide = next++, .compile = next++};
  made.has_form = {true, false, true, true, false};
  for (Line& each : made.timed) each = line();
  made.compile_ns = next++;
  made.bound = line();
  made.table = line();
  made.bindless_crossover = 17;
  made.took_ns = 99;
  made.samples = 98;
  made.dropped = 97;
  return made;
}

TEST(CalibrationBytes, GivesBackWhatWasEncoded) {
  EXPECT_EQ(to_calibration(to_bytes(calibration())), calibration());
  Calibration other = calibration();
  other.bindless_crossover.reset();
  EXPECT_EQ(to_calibration(to_bytes(other)), other);
  EXPECT_EQ(to_calibration(to_bytes(Calibration{})), Calibration{});
}

TEST(CalibrationBytes, RefusesBytesThatAreNone) {
  const std::vector<std::byte> bytes = to_bytes(calibration());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(to_calibration(std::span{bytes}.first(size)), std::nullopt) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_EQ(to_calibration(longer), std::nullopt);
}

TEST(CalibrationBytes, RefusesNumbersThatAreNotFinite) {
  Calibration wrong = calibration();
  wrong.compile_ns = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_calibration(to_bytes(wrong)), std::nullopt);
  wrong = calibration();
  wrong.ways[3].slope_ns = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(to_calibration(to_bytes(wrong)), std::nullopt);
}

}  // namespace
}  // namespace vyre::choice
