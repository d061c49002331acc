#include <vyre/backend/device_info.hpp>

namespace vyre::backend {

std::string_view to_string(DeviceType type) noexcept {
  switch (type) {
    case DeviceType::DiscreteGpu: return "discrete-gpu";
    case DeviceType::IntegratedGpu: return "integrated-gpu";
    case DeviceType::VirtualGpu: return "virtual-gpu";
    case DeviceType::Cpu: return "cpu";
    case DeviceType::Other: break;
  }
  return "other";
}

}  // namespace vyre::backend
