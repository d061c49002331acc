#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <vyre/backend/device.hpp>
#include <vyre/base/error.hpp>
#include <vyre/choice/calibration.hpp>

namespace vyre::runtime {

/// Measures what launching costs on a device: every launch mode with few and many dispatches, recording, copies,
/// barriers, compiling, and by what factor each form changes the time of a kernel.
///
/// The experiments run by turns, so that a disturbance affects all of them, and their medians count. A sample is
/// dropped if the wall clock and the process's clock disagree about it.
///
/// Measures on a second device, opened with `open_again`, because the pipelines of the experiments could slow the first
/// one down. Other work that the device does at the same time falsifies the results. Thread safety: one thread at a
/// time; the device outlives this.
class Calibrator {
 public:
  explicit Calibrator(backend::Device& device, std::chrono::nanoseconds timeout = backend::kForever);
  Calibrator(const Calibrator&) = delete;
  Calibrator& operator=(const Calibrator&) = delete;
  ~Calibrator();

  /// Waits for the device, then measures for about `budget_ns`, in steps of some milliseconds. True once everything is
  /// measured. `Unsupported` if the device cannot run even a small kernel; otherwise the errors of a wait of at most
  /// `timeout`.
  [[nodiscard]] Result<bool> advance(std::uint64_t budget_ns);
  /// Whether a second device was opened. If not, the calibration should not be left half done for long, because its
  /// buffers and pipelines belong to the user's device.
  [[nodiscard]] bool has_own_device() const noexcept;
  /// The result, once everything is measured.
  [[nodiscard]] const choice::Calibration& result() const;

 private:
  struct State;

  backend::Device* device_;
  std::chrono::nanoseconds timeout_;
  std::unique_ptr<State> state_;
};

/// Measures everything at once, which takes well below a second.
[[nodiscard]] Result<choice::Calibration> calibrate(backend::Device& device,
                                                    std::chrono::nanoseconds timeout = backend::kForever);

}  // namespace vyre::runtime
