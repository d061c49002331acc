#include <vyre/runtime/device_timer.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>

#include "tests/support/forwarding_driver.hpp"

namespace vyre::runtime {
namespace {

class DeviceTimerTest : public testing::Test {
 protected:
  ~DeviceTimerTest() override { timer_.free(device_); }

  /// Submits a list of some fills, timed at a place, and waits for it.
  std::uint32_t launch(const DeviceTimer::Place& place, int fills) {
    backend::CommandList list;
    place.begin(list);
    for (int i = 0; i < fills; ++i) list.fill({.buffer = buffer_}, 7);
    place.end(list);
    const std::optional<std::uint32_t> number = place.launched();
    EXPECT_TRUE(device_.submit(list));
    EXPECT_TRUE(device_.wait_idle());
    return number.value();
  }

  backend::Device device_{backends::fake::open_fake({.costs = {.copy_ns = 1'000}}), {}};
  backend::BufferHandle buffer_ = device_.allocate({.size = 64}).value();
  DeviceTimer timer_;
};

TEST_F(DeviceTimerTest, TakesTheTimeOfAListOnTheDevice) {
  const DeviceTimer::Place place = timer_.take(device_);
  const DeviceTimer::Time time = timer_.completed(launch(place, 3));
  EXPECT_EQ(time.ns, 3'000);
  EXPECT_EQ(time.launches, 1);
  EXPECT_EQ(timer_.completed(launch(place, 1)).ns, 1'000) << "a list may be launched again";
}

TEST_F(DeviceTimerTest, OfSeveralPendingLaunchesTheLastStandsForAll) {
  const DeviceTimer::Place place = timer_.take(device_);
  const std::uint32_t first = place.launched().value();
  const std::uint32_t second = launch(place, 2);
  EXPECT_EQ(timer_.completed(first).launches, 0) << "the place holds the time of a launch that is still pending";
  const DeviceTimer::Time time = timer_.completed(second);
  EXPECT_EQ(time.launches, 2);
  EXPECT_EQ(time.ns, 2 * 2'000);
}

TEST_F(DeviceTimerTest, PlacesAreLimitedAndComeBack) {
  std::vector<DeviceTimer::Place> places;
  for (std::uint32_t i = 0; i < DeviceTimer::kPlaces; ++i) places.push_back(timer_.take(device_));
  EXPECT_TRUE(places.back().launched().has_value());
  EXPECT_FALSE(timer_.take(device_).launched().has_value()) << "there is no place left";
  places.front() = DeviceTimer::Place{};
  places.erase(places.begin());
  EXPECT_TRUE(timer_.take(device_).launched().has_value());
}

TEST_F(DeviceTimerTest, APlaceThatGoesWhileALaunchIsPendingIsTakenAgainAfterIt) {
  std::uint32_t number = 0;
  {
    const DeviceTimer::Place place = timer_.take(device_);
    number = launch(place, 1);
  }
  std::vector<DeviceTimer::Place> others;
  for (std::uint32_t i = 1; i < DeviceTimer::kPlaces; ++i) others.push_back(timer_.take(device_));
  EXPECT_FALSE(timer_.take(device_).launched().has_value());
  EXPECT_EQ(timer_.completed(number).ns, 1'000);
  EXPECT_TRUE(timer_.take(device_).launched().has_value());
}

/// A device without timestamps.
class UntimedDriver final : public tests::ForwardingDriver {
 public:
  explicit UntimedDriver(std::unique_ptr<backend::DeviceDriver> inner)
      : ForwardingDriver{std::move(inner)}, info_{ForwardingDriver::info()} {
    info_.limits.max_timestamps = 0;
  }
  [[nodiscard]] const backend::DeviceInfo& info() const noexcept override { return info_; }

 private:
  backend::DeviceInfo info_;
};

TEST(DeviceTimer, TakesNoTimeWhereTheDeviceHasNoTimestamps) {
  backend::Device device{std::make_unique<UntimedDriver>(backends::fake::open_fake()), {}};
  DeviceTimer timer;
  const DeviceTimer::Place place = timer.take(device);
  backend::CommandList list;
  place.begin(list);
  place.end(list);
  EXPECT_TRUE(list.commands().empty());
  EXPECT_FALSE(place.launched().has_value());
  EXPECT_EQ(device.usage().buffers, 0);
}

}  // namespace
}  // namespace vyre::runtime
