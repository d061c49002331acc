#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <vyre/backend/driver.hpp>

/// Drivers that wrap any driver.
namespace vyre::backend {

/// Ends the process (`VYRE_CHECK`) when `Device` or the driver breaks the contract:
/// - tickets out of order, waits for tickets that were never launched, a completed ticket that falls or was never
///   launched;
/// - objects destroyed while a submission that could use them is pending, used after that, used by another driver, or
///   left when the driver ends;
/// - a recording for a single launch that is launched twice.
[[nodiscard]] std::unique_ptr<DeviceDriver> make_checking_driver(std::unique_ptr<DeviceDriver> inner);

/// Which call fails, and with which error. A test shares it with the driver and can set it between calls.
struct FaultPlan {
  std::atomic<std::uint64_t> calls = 0;    ///< Calls that can fail, so far.
  std::atomic<std::uint64_t> fail_at = 0;  ///< The number of the call that fails, from 1; 0 for none.
  Error error = {.code = ErrorCode::Internal, .message = "a fault was injected"};
};

/// Fails the call that the plan names, without making it.
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

/// Tells `sink` of every call that can fail. It is called by whatever thread calls.
[[nodiscard]] std::unique_ptr<DeviceDriver> make_tracing_driver(std::unique_ptr<DeviceDriver> inner,
                                                                std::function<void(const TraceEvent&)> sink);

}  // namespace vyre::backend
