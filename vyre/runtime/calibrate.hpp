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
/// On the device opened once more, where it can be, so that nothing is left behind: a driver may get slower by what it
/// compiles. What else runs on the device meanwhile is measured along. `Unsupported` if it cannot run even a small
/// kernel; what a wait of at most `timeout` gives otherwise.
[[nodiscard]] Result<choice::Calibration> calibrate(backend::Device& device,
                                                    std::chrono::nanoseconds timeout = backend::kForever);

}  // namespace vyre::runtime
