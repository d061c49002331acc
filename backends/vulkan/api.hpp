#pragma once

#include <functional>
#include <string_view>

#include <volk.h>

#include <backends/vulkan/vulkan_backend.hpp>

/// The Vulkan functions that the backend calls. All calls go through tables of these, so that a test can replace any
/// function.
#define VYRE_VULKAN_GLOBAL_FUNCTIONS(X) \
  X(CreateInstance)                     \
  X(EnumerateInstanceLayerProperties)   \
  X(EnumerateInstanceVersion)

#define VYRE_VULKAN_INSTANCE_FUNCTIONS(X) \
  X(EnumeratePhysicalDevices)             \
  X(CreateDevice)                         \
  X(EnumerateDeviceExtensionProperties)   \
  X(DestroyInstance)                      \
  X(GetDeviceProcAddr)                    \
  X(GetPhysicalDeviceFeatures2)           \
  X(GetPhysicalDeviceMemoryProperties)    \
  X(GetPhysicalDeviceProperties)          \
  X(GetPhysicalDeviceProperties2)         \
  X(GetPhysicalDeviceQueueFamilyProperties)

#define VYRE_VULKAN_DEVICE_FUNCTIONS(X) \
  X(AllocateCommandBuffers)             \
  X(AllocateDescriptorSets)             \
  X(AllocateMemory)                     \
  X(BeginCommandBuffer)                 \
  X(BindBufferMemory)                   \
  X(CreateBuffer)                       \
  X(CreateCommandPool)                  \
  X(CreateComputePipelines)             \
  X(CreateDescriptorPool)               \
  X(CreateDescriptorSetLayout)          \
  X(CreatePipelineLayout)               \
  X(CreateQueryPool)                    \
  X(CreateSemaphore)                    \
  X(CreateShaderModule)                 \
  X(DeviceWaitIdle)                     \
  X(EndCommandBuffer)                   \
  X(GetSemaphoreCounterValue)           \
  X(MapMemory)                          \
  X(QueueSubmit)                        \
  X(ResetCommandPool)                   \
  X(WaitSemaphores)                     \
  X(CmdBindDescriptorSets)              \
  X(CmdBindPipeline)                    \
  X(CmdCopyBuffer)                      \
  X(CmdCopyQueryPoolResults)            \
  X(CmdDispatch)                        \
  X(CmdDispatchIndirect)                \
  X(CmdFillBuffer)                      \
  X(CmdPipelineBarrier)                 \
  X(CmdPushConstants)                   \
  X(CmdResetQueryPool)                  \
  X(CmdWriteTimestamp)                  \
  X(DestroyBuffer)                      \
  X(DestroyCommandPool)                 \
  X(DestroyDescriptorPool)              \
  X(DestroyDescriptorSetLayout)         \
  X(DestroyDevice)                      \
  X(DestroyPipeline)                    \
  X(DestroyPipelineLayout)              \
  X(DestroyQueryPool)                   \
  X(DestroySemaphore)                   \
  X(DestroyShaderModule)                \
  X(FreeMemory)                         \
  X(GetBufferDeviceAddress)             \
  X(GetBufferMemoryRequirements)        \
  X(GetDeviceQueue)                     \
  X(UpdateDescriptorSets)

namespace vyre::backends::vulkan {

#define VYRE_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

struct GlobalApi {
  VYRE_VULKAN_GLOBAL_FUNCTIONS(VYRE_VULKAN_MEMBER)
};

struct InstanceApi {
  VYRE_VULKAN_INSTANCE_FUNCTIONS(VYRE_VULKAN_MEMBER)
};

struct DeviceApi {
  VYRE_VULKAN_DEVICE_FUNCTIONS(VYRE_VULKAN_MEMBER)
};

#undef VYRE_VULKAN_MEMBER

using Intercept = std::function<AnyFunction(std::string_view, AnyFunction)>;

/// Loads the Vulkan loader. `Unavailable` if there is none.
[[nodiscard]] Result<GlobalApi> load_global(const Intercept& intercept);
/// Load the functions of an instance or a device. `Unavailable`, naming the function, if the driver lacks one.
[[nodiscard]] Result<InstanceApi> load_instance(VkInstance instance, const Intercept& intercept);
[[nodiscard]] Result<DeviceApi> load_device(VkDevice device, const InstanceApi& instance, const Intercept& intercept);
/// A function of an extension of an instance, or null.
[[nodiscard]] AnyFunction find_function(VkInstance instance, const char* name);

}  // namespace vyre::backends::vulkan
