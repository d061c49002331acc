#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <vyre/backend/device.hpp>
#include <vyre/base/error.hpp>
#include <vyre/choice/calibration.hpp>

namespace vyre::runtime {

/// Measures what launching costs on a device: every launch mode with few and many dispatches, recording, copies,
/// barriers, compiling, and by what factor a form changes the time of a kernel. Experiments run in turns, so that a
/// disturbance falls on all of them; medians count. A sample is dropped if the wall clock and the process's clock
/// disagree about it.
///
/// The device is opened once more for this, where it can be, so that nothing is left behind: a driver may get slower by
/// what it compiles. Other work on the device meanwhile is measured along. Thread safety: one thread at a time; the
/// device outlives this.
class Calibrator {
 public:
  explicit Calibrator(backend::Device& device, std::chrono::nanoseconds timeout = backend::kForever);
  Calibrator(const Calibrator&) = delete;
  Calibrator& operator=(const Calibrator&) = delete;
  ~Calibrator();

  /// Waits for the device, then measures for about `budget_ns`, in steps of some milliseconds. True once all is
  /// measured. `Unsupported` if the device cannot run even a small kernel; what a wait of at most `timeout` gives
  /// otherwise.
  [[nodiscard]] Result<bool> advance(std::uint64_t budget_ns);
  /// Whether the device was opened once more. If not, a calibration must not be left half done for long: its memory
  /// belongs to the device at hand.
  [[nodiscard]] bool has_own_device() const noexcept;
  /// The result, once everything is measured.
  [[nodiscard]] const choice::Calibration& result() const;

 private:
  struct State;

  backend::Device* device_;
  std::chrono::nanoseconds timeout_;
  std::unique_ptr<State> state_;
};

/// The same at once, in well below a second.
[[nodiscard]] Result<choice::Calibration> calibrate(backend::Device& device,
                                                    std::chrono::nanoseconds timeout = backend::kForever);

}  // namespace vyre::runtime
