#pragma once

#include <string>

#include <vyre/backend/device.hpp>
#include <vyre/backend/device_info.hpp>
#include <vyre/program/program.hpp>

namespace vyre::tests {

/// The first capability that a program declares and a device does not offer; empty if the device offers all.
[[nodiscard]] std::string missing_capability(const backend::DeviceInfo& device, const program::Program& program);

/// Whether a device offers all capabilities that a program declares.
[[nodiscard]] bool can_run(const backend::Device& device, const program::Program& program);

/// Whether a device refuses a program by the name of a capability that it lacks.
[[nodiscard]] bool is_refused_by_name(backend::Device& device, const program::Program& program);

}  // namespace vyre::tests
