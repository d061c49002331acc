#include "tests/conformance/suite.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/decorators.hpp>
#include <vyre/base/check.hpp>

#include <backends/fake/fake_backend.hpp>
#include <backends/vulkan/vulkan_backend.hpp>
#include "tests/conformance/corpus.hpp"
#include "tests/conformance/programs.hpp"

namespace vyre::tests {
namespace {

/// The fake device works for a while, so that there is something to wait for.
constexpr backends::fake::Costs kCosts = {.launch_ns = 3'000,
                                          .record_command_ns = 200,
                                          .compile_ns = 10'000,
                                          .poll_ns = 100,
                                          .start_ns = 1'000,
                                          .dispatch_ns = 2'000,
                                          .group_ns = 1'000,
                                          .barrier_ns = 500,
                                          .copy_ns = 1'000,
                                          .copy_ns_per_kib = 10};

std::unique_ptr<Suite>& current() {
  static std::unique_ptr<Suite> suite;
  return suite;
}

}  // namespace

Result<std::unique_ptr<Suite>> Suite::make(SuiteOptions options) {
  std::unique_ptr<Suite> suite{new Suite{std::move(options)}};
  std::map<std::string, backends::fake::Kernel> kernels = suite_kernels();
  kernels.merge(corpus_kernels());
  VYRE_TRY(suite->registry_.add(
      backends::fake::make_fake_backend({.kernels = std::move(kernels), .costs = kCosts, .queues = 2})));
  const auto keep_message = [suite = suite.get()](std::string_view message) {
    const std::lock_guard lock{suite->messages_mutex_};
    suite->messages_.emplace_back(message);
  };
  VYRE_TRY(suite->registry_.add(
      backends::vulkan::make_vulkan_backend({.validation = suite->options_.validation, .on_message = keep_message})));
  for (const std::string& name : suite->options_.devices) VYRE_TRY(suite->registry_.find(name));
  for (const RequiredDevice& each : suite->options_.required) VYRE_TRY(suite->registry_.find(each.backend));
  return suite;
}

bool Suite::is_selected(std::string_view backend) const {
  return options_.devices.empty() || std::ranges::find(options_.devices, backend) != options_.devices.end();
}

bool Suite::is_required(std::string_view backend) const {
  return std::ranges::find(options_.required, backend, &RequiredDevice::backend) != options_.required.end();
}

Result<backend::DeviceInfo> Suite::find_device(std::string_view backend) const {
  VYRE_ASSIGN(backend::Backend * found, registry_.find(backend));
  VYRE_ASSIGN(const std::vector<backend::DeviceInfo> devices, found->devices());
  if (devices.empty()) return fail(ErrorCode::Unavailable, fmt::format("backend '{}' lists no device", backend));
  return devices.front();
}

Result<std::unique_ptr<backend::Device>> Suite::open(const backend::DeviceInfo& info,
                                                     const backend::DeviceOptions& options) const {
  VYRE_ASSIGN(backend::Backend * backend, registry_.find(info.backend));
  VYRE_ASSIGN(std::unique_ptr<backend::DeviceDriver> driver, backend->open(info, options));
  return std::make_unique<backend::Device>(backend::make_checking_driver(std::move(driver)), options);
}

std::vector<std::string> Suite::take_messages() {
  const std::lock_guard lock{messages_mutex_};
  return std::exchange(messages_, {});
}

Suite& suite() {
  VYRE_CHECK(current() != nullptr, "the suite was not set");
  return *current();
}

void set_suite(std::unique_ptr<Suite> suite) { current() = std::move(suite); }

}  // namespace vyre::tests
