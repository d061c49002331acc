#pragma once

#include <chrono>

#include <vyre/backend/device.hpp>
#include <vyre/base/error.hpp>
#include <vyre/choice/calibration.hpp>

namespace vyre::runtime {

/// Measures what launching takes on a device, in well below a second: every way of launching with few and many
/// dispatches, recording, copies, barriers, compiling, and what the forms make of a kernel. In turns, so that what
/// disturbs falls on all; medians, without the samples of which two clocks disagree.
///
/// Opens the device once more if it can, because what a driver compiles may make it slower. Other work that runs on the
/// device at the same time disturbs the measurement. `Unsupported` if the device cannot run even a small kernel;
/// `TimedOut` if a wait takes longer than `timeout`.
[[nodiscard]] Result<choice::Calibration> calibrate(backend::Device& device,
                                                    std::chrono::nanoseconds timeout = backend::kForever);

}  // namespace vyre::runtime
