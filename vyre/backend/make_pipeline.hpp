#pragma once

#include <span>

#include <vyre/backend/driver.hpp>

namespace vyre::backend {

/// How to make a pipeline from a program.
struct PipelineOptions {
  std::span<const program::spirv::SpecOverride> values = {};
  program::FormKind form = program::FormKind::Descriptor;
  bool robust = true;  ///< As in `DeviceOptions`.
};

/// Derives the wanted form of a program, checks it against the device's limits, and has the driver compile it.
///
/// Errors name the program. `Unsupported`, naming what is missing, for a program that needs more than the device has.
[[nodiscard]] Result<PipelineEntry> make_pipeline(DeviceDriver& driver, const program::Program& program,
                                                  const PipelineOptions& options);

}  // namespace vyre::backend
