#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vyre/backend/driver.hpp>

/// A complete device in plain C++: kernels are functions, time is a number.
///
/// Tests use it for planning, concurrency and failures, without the noise of a driver. To add a backend, begin with a
/// copy of this folder.
namespace vyre::backends::fake {

/// The arguments of a kernel for one dispatch.
struct Invocation {
  backend::Groups groups = {1, 1, 1};
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
  std::span<const std::span<std::byte>> bindings = {};  ///< In the order of the ranges of the dispatch.
  std::span<const std::byte> params = {};
  std::span<const program::spirv::SpecOverride> values =
      {};  ///< Specialisation values that differ from their defaults, by id.
};

/// A kernel runs a whole dispatch.
using Kernel = std::function<void(const Invocation&)>;

/// Costs on the virtual clock, in nanoseconds of host time or device time.
struct Costs {
  std::uint64_t launch_ns = 0;          ///< The host, per launch.
  std::uint64_t record_ns = 0;          ///< The host, per list that is translated.
  std::uint64_t record_command_ns = 0;  ///< The host, per command in it.
  std::uint64_t compile_ns = 0;         ///< The host, per pipeline.
  std::uint64_t poll_ns = 0;            ///< The host, per call of `completed`.
  std::uint64_t start_ns = 0;           ///< The device, per launch.
  std::uint64_t dispatch_ns = 0;        ///< The device, per dispatch.
  std::uint64_t group_ns = 0;           ///< The device, per workgroup of a dispatch.
  std::uint64_t barrier_ns = 0;         ///< The device, per barrier.
  std::uint64_t copy_ns = 0;            ///< The device, per copy or fill.
  std::uint64_t copy_ns_per_kib = 0;    ///< The device, per 1,024 bytes begun, of a copy or fill.
  std::uint64_t item_ns = 0;            ///< The device, per dispatch within one launch.
  std::uint64_t form_group_ns = 0;      ///< The device, in addition, per workgroup in a derived form.

  friend bool operator==(const Costs&, const Costs&) = default;
};

/// The device time of a kernel per workgroup, by `FormKind`, besides that of all kernels.
using KernelCosts = std::array<std::uint64_t, program::kForms>;

struct FakeOptions {
  std::map<std::string, Kernel> kernels = {};  ///< By the name of the program.
  Costs costs = {};
  std::map<std::string, KernelCosts> kernel_costs = {};  ///< By the name of the program.
  std::shared_ptr<const Costs> changing_costs =
      {};  ///< Used instead of `costs` if not null. A test may change these costs at any time.
  std::uint32_t queues = 2;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  /// The seed of the order in which commands without a barrier between them run. A missing barrier then shows as a
  /// wrong result.
  std::uint64_t shuffle_seed = 1;
  bool has_timestamps = true;
  bool has_forms = true;             ///< Whether the device runs derived forms.
  std::uint64_t max_iterations = 0;  ///< Reported as `FormSupport::max_iterations`. The device does not enforce it.
  /// From this launch on, counted from 1, the device is lost; 0 for never.
  std::uint64_t lost_at_launch = 0;
};

[[nodiscard]] std::unique_ptr<backend::Backend> make_fake_backend(FakeOptions options);

}  // namespace vyre::backends::fake
