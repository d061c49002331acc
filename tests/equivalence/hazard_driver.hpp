#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vyre/backend/driver.hpp>

namespace vyre::tests {

/// What was found in the lists that a driver got. Shared with the driver.
struct HazardReport {
  std::uint64_t lists = 0;
  std::uint64_t commands = 0;
  std::uint64_t barriers = 0;
  std::uint64_t needless = 0;               ///< Barriers with no conflict between what stands on their two sides.
  std::vector<std::string> unordered = {};  ///< Conflicts that no barrier orders, the first few.
  std::uint64_t unordered_count = 0;
  std::uint64_t launches_elsewhere = 0;  ///< Into other queues than the first.
};

/// Looks at every pair of commands of every list, byte by byte, and notes those that touch the same bytes, one of them
/// writing, without a barrier in between; and likewise launches into different queues that no ticket orders. Needs
/// nothing of the planner: what a dispatch does to its ranges is what its program declares. For one thread.
[[nodiscard]] std::unique_ptr<backend::DeviceDriver> make_hazard_driver(std::unique_ptr<backend::DeviceDriver> inner,
                                                                        std::shared_ptr<HazardReport> report);

}  // namespace vyre::tests
