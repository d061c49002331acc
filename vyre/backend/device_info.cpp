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

std::string_view to_string(Bindless bindless) noexcept {
  switch (bindless) {
    case Bindless::Unsupported: return "unsupported";
    case Bindless::Static: return "static";
    case Bindless::Full: return "full";
  }
  return "unsupported";
}

}  // namespace vyre::backend
