#include <backends/vulkan/instance.hpp>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <backends/vulkan/error.hpp>

namespace vyre::backends::vulkan {
namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
                                          VkDebugUtilsMessageTypeFlagsEXT /*types*/,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  const auto& options = *static_cast<const VulkanOptions*>(user);
  if (options.on_message) options.on_message(data->pMessage);
  return VK_FALSE;
}

Result<void> check_layer(const GlobalApi& api) {
  std::uint32_t count = 0;
  VYRE_TRY(succeeded("vkEnumerateInstanceLayerProperties", api.EnumerateInstanceLayerProperties(&count, nullptr)));
  std::vector<VkLayerProperties> layers(count);
  VYRE_TRY(
      succeeded("vkEnumerateInstanceLayerProperties", api.EnumerateInstanceLayerProperties(&count, layers.data())));
  for (const VkLayerProperties& layer : layers) {
    if (std::string_view{layer.layerName} == kLayer) return {};
  }
  return fail(ErrorCode::Unavailable, fmt::format("the Vulkan layer {} is not installed", kLayer));
}

}  // namespace

Result<std::shared_ptr<Instance>> Instance::make(const VulkanOptions& options) {
  VYRE_ASSIGN(const GlobalApi global, load_global(options.intercept));
  if (options.validation) VYRE_TRY(check_layer(global));
  std::shared_ptr<Instance> made{new Instance{options}};

  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pApplicationName = "vyre",
                                      .pEngineName = "vyre",
                                      .apiVersion = VK_API_VERSION_1_3};
  const VkDebugUtilsMessengerCreateInfoEXT messages{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                    .pfnUserCallback = on_message,
                                                    .pUserData = &made->options_};
  const VkValidationFeatureEnableEXT enabled = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  const VkValidationFeaturesEXT features{.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                         .pNext = &messages,
                                         .enabledValidationFeatureCount = 1,
                                         .pEnabledValidationFeatures = &enabled};
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  const std::uint32_t checked = options.validation ? 1 : 0;
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pNext = options.validation ? &features : nullptr,
                                  .pApplicationInfo = &application,
                                  .enabledLayerCount = checked,
                                  .ppEnabledLayerNames = &kLayer,
                                  .enabledExtensionCount = checked,
                                  .ppEnabledExtensionNames = &extension};
  const char* threads = std::getenv("LP_NUM_THREADS");
  made->runs_inline_ = threads != nullptr && std::strcmp(threads, "0") == 0;
  VYRE_TRY(succeeded("vkCreateInstance", global.CreateInstance(&info, nullptr, &made->instance_)));
  VYRE_ASSIGN(made->api_, load_instance(made->instance_, options.intercept));
  if (options.validation) {
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        find_function(made->instance_, "vkCreateDebugUtilsMessengerEXT"));
    if (create == nullptr) return fail(ErrorCode::Unavailable, "the Vulkan driver has no VK_EXT_debug_utils");
    VYRE_TRY(
        succeeded("vkCreateDebugUtilsMessengerEXT", create(made->instance_, &messages, nullptr, &made->messenger_)));
  }
  return made;
}

Instance::~Instance() {
  if (instance_ == VK_NULL_HANDLE) return;
  if (messenger_ != VK_NULL_HANDLE) {
    reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(find_function(instance_, "vkDestroyDebugUtilsMessengerEXT"))(
        instance_, messenger_, nullptr);
  }
  // If loading the table failed, the function may not be in it yet.
  const auto destroy = api_.DestroyInstance != nullptr
                           ? api_.DestroyInstance
                           : reinterpret_cast<PFN_vkDestroyInstance>(find_function(instance_, "vkDestroyInstance"));
  destroy(instance_, nullptr);
}

Result<std::vector<VkPhysicalDevice>> Instance::physical_devices() const {
  std::uint32_t count = 0;
  VYRE_TRY(succeeded("vkEnumeratePhysicalDevices", api_.EnumeratePhysicalDevices(instance_, &count, nullptr)));
  std::vector<VkPhysicalDevice> devices(count);
  const VkResult result = api_.EnumeratePhysicalDevices(instance_, &count, devices.data());
  if (result != VK_INCOMPLETE) VYRE_TRY(succeeded("vkEnumeratePhysicalDevices", result));
  devices.resize(count);
  return devices;
}

}  // namespace vyre::backends::vulkan
