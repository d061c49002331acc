#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <vyre/backend/driver.hpp>

/// Decorators: drivers that wrap another driver, for tests and for looking at what happens.
namespace vyre::backend {

/// A driver that ends the process (`VYRE_CHECK`) when `Device` or the inner driver breaks the contract:
/// - tickets: launched out of order, awaited or completed without having been launched, or a completed ticket that
///   becomes smaller;
/// - objects: destroyed while a submission that could use them is pending, used after they were destroyed, used with
///   another driver, or still there when the driver is destroyed;
/// - recordings: one for a single launch is launched twice.
[[nodiscard]] std::unique_ptr<DeviceDriver> make_checking_driver(std::unique_ptr<DeviceDriver> inner);

/// Which call of a faulty driver fails, and with which error. A test shares it with the driver and may change it
/// between calls.
struct FaultPlan {
  std::atomic<std::uint64_t> calls = 0;    ///< The number of calls so far, of those that can fail.
  std::atomic<std::uint64_t> fail_at = 0;  ///< The number of the call that fails, from 1; 0 for none.
  Error error = {.code = ErrorCode::Internal, .message = "a fault was injected"};
};

/// A driver that fails the call of the plan without passing it on, and passes on all others.
[[nodiscard]] std::unique_ptr<DeviceDriver> make_faulty_driver(std::unique_ptr<DeviceDriver> inner,
                                                               std::shared_ptr<FaultPlan> plan);

/// A call of a driver, as the tracing driver reports it.
struct TraceEvent {
  std::string_view call = {};  ///< `allocate`, `launch` and so on.
  std::string detail = {};     ///< `65536 bytes`, `queue 0 ticket 12`
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  bool failed = false;
};

/// A driver that reports to `sink` every call that can fail. `sink` runs in the thread of the call.
[[nodiscard]] std::unique_ptr<DeviceDriver> make_tracing_driver(std::unique_ptr<DeviceDriver> inner,
                                                                std::function<void(const TraceEvent&)> sink);

}  // namespace vyre::backend
