#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <vyre/backend/device.hpp>
#include <vyre/runtime/session.hpp>

#include <backends/fake/fake_backend.hpp>

namespace vyre::tests {

/// A device that works for a while, so that there is something to wait for.
inline constexpr backends::fake::Costs kFakeCosts = {.launch_ns = 3'000,
                                                     .record_command_ns = 200,
                                                     .compile_ns = 10'000,
                                                     .poll_ns = 100,
                                                     .start_ns = 1'000,
                                                     .dispatch_ns = 2'000,
                                                     .group_ns = 1'000,
                                                     .barrier_ns = 500,
                                                     .copy_ns = 1'000,
                                                     .copy_ns_per_kib = 10};

using Decorate = std::function<std::unique_ptr<backend::DeviceDriver>(std::unique_ptr<backend::DeviceDriver>)>;

struct FakeSetup {
  backends::fake::Costs costs = kFakeCosts;
  std::uint64_t shuffle_seed = 1;
  std::uint64_t lost_at_launch = 0;
  std::map<std::string, backends::fake::KernelCosts> kernel_costs = {};
  std::map<std::string, backends::fake::Kernel> kernels = {};  ///< Besides those of the tests.
  bool has_timestamps = true;
  bool has_forms = true;
  std::uint64_t max_iterations = 0;
  Decorate decorate = {};  ///< Put between the fake driver and the checking one.
  backend::DeviceOptions options = {};
};

/// The fake device with the kernels of the tests, inside the checking driver.
[[nodiscard]] std::shared_ptr<backend::Device> open_fake(const FakeSetup& setup = {});

/// The best Vulkan device, inside the checking driver. `Unavailable` if there is none.
[[nodiscard]] Result<std::shared_ptr<backend::Device>> open_vulkan(const backend::DeviceOptions& options = {});

/// `fake` or `vulkan`. Ends the process if there is no such device: a test without its device is no test.
[[nodiscard]] std::shared_ptr<backend::Device> open_device(const std::string& backend);

/// What views of any kind may begin at multiples of on a device, and random programs do.
[[nodiscard]] std::uint64_t view_alignment(const backend::Device& device);

inline constexpr std::array kModes = runtime::kAllLaunchModes;

}  // namespace vyre::tests
