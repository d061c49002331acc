#include "tests/support/capabilities.hpp"

#include <algorithm>
#include <vector>

namespace vyre::tests {

std::string missing_capability(const backend::DeviceInfo& device, const program::Program& program) {
  const std::vector<std::string>& needed = program.interface().capabilities;
  const auto missing = std::ranges::find_if(
      needed, [&](const std::string& name) { return !std::ranges::binary_search(device.spirv_capabilities, name); });
  return missing == needed.end() ? std::string{} : *missing;
}

bool can_run(const backend::Device& device, const program::Program& program) {
  return missing_capability(device.info(), program).empty();
}

bool is_refused_by_name(backend::Device& device, const program::Program& program) {
  const std::string missing = missing_capability(device.info(), program);
  const auto pipeline = device.compile(program);
  return !missing.empty() && !pipeline && pipeline.error().code == ErrorCode::Unsupported &&
         pipeline.error().message.contains(missing);
}

}  // namespace vyre::tests
