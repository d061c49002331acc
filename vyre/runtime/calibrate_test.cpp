#include <vyre/runtime/calibrate.hpp>

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include <backends/fake/fake_backend.hpp>
#include <vyre/backend/device.hpp>

#include "tests/support/forwarding_driver.hpp"

// Measuring a device leaves nothing behind on it if the device can be opened once more.

namespace vyre::runtime {
namespace {

using backend::DeviceDriver;

std::unique_ptr<DeviceDriver> open_fake() {
  const backends::fake::Costs costs{.launch_ns = 10'000, .dispatch_ns = 1'000};
  const auto backend = backends::fake::make_fake_backend({.costs = costs});
  return backend->open(backend->devices().value().front(), {}).value();
}

/// Counts what is compiled, and can be opened again, or not.
class CountingDriver final : public tests::ForwardingDriver {
 public:
  CountingDriver(std::unique_ptr<DeviceDriver> driver, bool can_open_again, int& compiled) noexcept
      : ForwardingDriver{std::move(driver)}, can_open_again_{can_open_again}, compiled_{compiled} {}

  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc& desc) override {
    ++compiled_;
    return inner().compile(desc);
  }
  [[nodiscard]] Result<std::unique_ptr<DeviceDriver>> open_again() override {
    if (!can_open_again_) return fail(ErrorCode::OutOfMemory, "there is no room for another");
    return open_fake();
  }

 private:
  bool can_open_again_;
  int& compiled_;
};

TEST(Calibrate, CompilesNothingOnADeviceThatCanBeOpenedAgain) {
  int compiled = 0;
  backend::Device device{std::make_unique<CountingDriver>(open_fake(), true, compiled), {}};
  const auto measured = calibrate(device);
  ASSERT_TRUE(measured) << to_string(measured.error());
  EXPECT_GT(measured->way(choice::Way::Batched).fixed_ns, 0);
  EXPECT_EQ(compiled, 0);
  EXPECT_EQ(device.usage(), backend::DeviceUsage{});
}

TEST(Calibrate, MeasuresOnTheDeviceItselfWhereThereIsNoOther) {
  int compiled = 0;
  backend::Device device{std::make_unique<CountingDriver>(open_fake(), false, compiled), {}};
  const auto measured = calibrate(device);
  ASSERT_TRUE(measured) << to_string(measured.error());
  EXPECT_GT(measured->way(choice::Way::Batched).fixed_ns, 0);
  EXPECT_GT(compiled, 0);
  EXPECT_EQ(device.usage(), backend::DeviceUsage{});
}

}  // namespace
}  // namespace vyre::runtime
