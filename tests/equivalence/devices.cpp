#include "tests/equivalence/devices.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vyre/backend/decorators.hpp>
#include <vyre/base/check.hpp>

#include <backends/vulkan/vulkan_backend.hpp>
#include "tests/equivalence/kernels.hpp"
#include "tests/equivalence/options.hpp"
#include "tests/equivalence/random_program.hpp"

namespace vyre::tests {
namespace {

Result<std::shared_ptr<backend::Device>> open_first(backend::Backend& backend, const backend::DeviceOptions& options,
                                                    const Decorate& decorate) {
  VYRE_ASSIGN(const std::vector<backend::DeviceInfo> infos, backend.devices());
  if (infos.empty()) return fail(ErrorCode::Unavailable, fmt::format("backend '{}' lists no device", backend.name()));
  VYRE_ASSIGN(std::unique_ptr<backend::DeviceDriver> driver, backend.open(infos.front(), options));
  if (decorate) driver = decorate(std::move(driver));
  return std::make_shared<backend::Device>(backend::make_checking_driver(std::move(driver)), options);
}

std::shared_ptr<backend::Device> must(Result<std::shared_ptr<backend::Device>> device) {
  if (!device) fmt::print(stderr, "{}\n", to_string(device.error()));
  VYRE_CHECK(device.has_value(), "a device that is tested can be opened");
  return *std::move(device);
}

}  // namespace

std::shared_ptr<backend::Device> open_fake(const FakeSetup& setup) {
  std::map<std::string, backends::fake::Kernel> kernels = fake_kernels();
  kernels.insert(setup.kernels.begin(), setup.kernels.end());
  const auto backend = backends::fake::make_fake_backend({.kernels = std::move(kernels),
                                                          .costs = setup.costs,
                                                          .kernel_costs = setup.kernel_costs,
                                                          .shuffle_seed = setup.shuffle_seed,
                                                          .has_timestamps = setup.has_timestamps,
                                                          .has_forms = setup.has_forms,
                                                          .max_iterations = setup.max_iterations,
                                                          .lost_at_launch = setup.lost_at_launch});
  return must(open_first(*backend, setup.options, setup.decorate));
}

Result<std::shared_ptr<backend::Device>> open_vulkan(const backend::DeviceOptions& options) {
  const auto backend = backends::vulkan::make_vulkan_backend(
      {.validation = equivalence_options().validation,
       .on_message = [](std::string_view message) { ADD_FAILURE() << "the driver says: " << message; }});
  return open_first(*backend, options, {});
}

std::shared_ptr<backend::Device> open_device(const std::string& backend) {
  return backend == "fake" ? open_fake() : must(open_vulkan());
}

std::uint64_t view_alignment(const backend::Device& device) {
  const backend::Limits& limits = device.info().limits;
  return std::max({kViewAlignment, std::uint64_t{limits.storage_alignment}, std::uint64_t{limits.uniform_alignment}});
}

}  // namespace vyre::tests
