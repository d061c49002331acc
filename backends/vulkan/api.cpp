#include <backends/vulkan/api.hpp>

#include <mutex>

#include <fmt/format.h>

namespace vyre::backends::vulkan {
namespace {

template <typename Find, typename Function>
Result<void> load(const Find& find, const Intercept& intercept, const char* name, Function& into) {
  AnyFunction function = find(name);
  if (function == nullptr) {
    return fail(ErrorCode::Unavailable, fmt::format("the Vulkan driver has no function {}", name));
  }
  if (intercept) function = intercept(name, function);
  into = reinterpret_cast<Function>(function);
  return {};
}

}  // namespace

#define VYRE_VULKAN_LOAD(name) VYRE_TRY(load(find, intercept, "vk" #name, api.name));

Result<GlobalApi> load_global(const Intercept& intercept) {
  // volk has one loader for the whole process.
  static std::mutex mutex;
  const std::lock_guard lock{mutex};
  if (vkGetInstanceProcAddr == nullptr && volkInitialize() != VK_SUCCESS) {
    return fail(ErrorCode::Unavailable, "the Vulkan loader, libvulkan.so.1, is not installed");
  }
  GlobalApi api;
  const auto find = [](const char* name) { return vkGetInstanceProcAddr(VK_NULL_HANDLE, name); };
  VYRE_VULKAN_GLOBAL_FUNCTIONS(VYRE_VULKAN_LOAD)
  return api;
}

Result<InstanceApi> load_instance(VkInstance instance, const Intercept& intercept) {
  InstanceApi api;
  const auto find = [&](const char* name) { return vkGetInstanceProcAddr(instance, name); };
  VYRE_VULKAN_INSTANCE_FUNCTIONS(VYRE_VULKAN_LOAD)
  return api;
}

Result<DeviceApi> load_device(VkDevice device, const InstanceApi& instance, const Intercept& intercept) {
  DeviceApi api;
  const auto find = [&](const char* name) { return instance.GetDeviceProcAddr(device, name); };
  VYRE_VULKAN_DEVICE_FUNCTIONS(VYRE_VULKAN_LOAD)
  return api;
}

#undef VYRE_VULKAN_LOAD

AnyFunction find_function(VkInstance instance, const char* name) { return vkGetInstanceProcAddr(instance, name); }

}  // namespace vyre::backends::vulkan
