#include <backends/fake/fake_backend.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <backends/fake/fake_driver.hpp>
#include <vyre/base/check.hpp>
#include <vyre/program/spirv/compute_names.hpp>

namespace vyre::backends::fake {
namespace {

using backend::DeviceDriver;
using backend::DeviceInfo;
using backend::DeviceOptions;

constexpr std::string_view kName = "fake";
static_assert(std::ranges::is_sorted(program::spirv::kComputeCapabilities));

/// The signature includes the costs, because a calibration is valid only for the costs that it was measured with.
std::string make_signature(const FakeOptions& options) {
  const Costs& costs = options.costs;
  return fmt::format("fake 1 queues {} costs {} {} {} {} {} {} {} {} {} {} {} forms {} {}", options.queues,
                     costs.launch_ns, costs.record_command_ns, costs.compile_ns, costs.poll_ns, costs.start_ns,
                     costs.dispatch_ns, costs.group_ns, costs.barrier_ns, costs.copy_ns, costs.copy_ns_per_kib,
                     costs.item_ns, options.has_forms, options.max_iterations);
}

backend::FormSupport make_forms(const FakeOptions& options) {
  if (!options.has_forms) return {};
  return {.pointer_form = true,
          .merged_form = true,
          .persistent_form = true,
          .chain_form = true,
          .bindless = backend::Bindless::Full,
          .max_iterations = options.max_iterations,
          .workgroups = 4};
}

DeviceInfo make_info(const FakeOptions& options) {
  return {.backend = std::string{kName},
          .name = "fake device",
          .type = backend::DeviceType::Other,
          .driver = "vyre fake 1",
          .api = "C++",
          .signature = make_signature(options),
          .limits = {.memory_bytes = options.memory_bytes,
                     .max_buffer_bytes = options.memory_bytes,
                     .max_storage_range = std::uint64_t{128} << 20,
                     .max_uniform_range = std::uint64_t{64} << 10,
                     .storage_alignment = 16,
                     .uniform_alignment = 16,
                     .max_sets = 8,
                     .max_storage_buffers = 32,
                     .max_uniform_buffers = 16,
                     .max_buffers = 48,
                     .max_push_bytes = 128,
                     .max_groups = {65'535, 65'535, 65'535},
                     .max_workgroup = {1024, 1024, 64},
                     .max_workgroup_invocations = 1024,
                     .max_shared_bytes = 32'768,
                     .subgroup_size = 1,
                     .max_spirv_version = 0x0001'0600,
                     .max_timestamps = options.has_timestamps ? 4096U : 0U,
                     .queues = options.queues},
          // All capabilities: kernels are C++ functions and may do anything.
          .spirv_capabilities = {std::begin(program::spirv::kComputeCapabilities),
                                 std::end(program::spirv::kComputeCapabilities)},
          .spirv_execution_modes = {std::begin(program::spirv::kComputeExecutionModes),
                                    std::end(program::spirv::kComputeExecutionModes)},
          .spirv_extensions = {std::begin(program::spirv::kComputeExtensions),
                               std::end(program::spirv::kComputeExtensions)},
          .block_layout = program::BlockLayout::Scalar,
          .maps_device_memory = true,
          .timestamp_period_ns = 1,
          .forms = make_forms(options)};
}

class FakeBackend final : public backend::Backend {
 public:
  explicit FakeBackend(FakeOptions options)
      : options_{std::make_shared<const FakeOptions>(std::move(options))}, info_{make_info(*options_)} {}

  [[nodiscard]] std::string_view name() const noexcept override { return kName; }

  [[nodiscard]] Result<std::vector<DeviceInfo>> devices() override { return std::vector{info_}; }

  [[nodiscard]] Result<std::unique_ptr<DeviceDriver>> open(const DeviceInfo& info,
                                                           const DeviceOptions& options) override {
    if (info.backend != info_.backend || info.signature != info_.signature) {
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("device '{}' of backend '{}' is not the device of this fake backend", info.name, info.backend));
    }
    return make_fake_driver(options_, info_, options);
  }

 private:
  std::shared_ptr<const FakeOptions> options_;
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<backend::Backend> make_fake_backend(FakeOptions options) {
  VYRE_CHECK(options.queues > 0, "a device has a queue");
  return std::make_unique<FakeBackend>(std::move(options));
}

}  // namespace vyre::backends::fake
