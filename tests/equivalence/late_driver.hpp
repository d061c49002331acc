#pragma once

#include <memory>

#include <vyre/backend/driver.hpp>

namespace vyre::tests {

/// Begins what is launched as late as the contract allows: when it is waited for, and one launch now and then when
/// somebody asks how far a queue is. So that whoever touches bytes on the host before the work that uses them is done
/// is found.
[[nodiscard]] std::unique_ptr<backend::DeviceDriver> make_late_driver(std::unique_ptr<backend::DeviceDriver> inner);

}  // namespace vyre::tests
