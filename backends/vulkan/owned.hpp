#pragma once

#include <utility>

#include <backends/vulkan/api.hpp>

namespace vyre::backends::vulkan {

/// A device and its functions, as the objects made from it see them. Outlives them.
struct DeviceContext {
  VkDevice device = VK_NULL_HANDLE;
  DeviceApi api = {};
};

/// An object of a device, destroyed with it.
template <typename Native, auto Destroy>
class Owned {
 public:
  Owned() = default;
  Owned(const DeviceContext& context, Native native) noexcept : context_{&context}, native_{native} {}
  Owned(Owned&& other) noexcept : context_{other.context_}, native_{std::exchange(other.native_, Native{})} {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(native_, other.native_);
    return *this;
  }
  ~Owned() {
    if (native_ != Native{}) (context_->api.*Destroy)(context_->device, native_, nullptr);
  }

  [[nodiscard]] Native get() const noexcept { return native_; }

 private:
  const DeviceContext* context_ = nullptr;
  Native native_ = {};
};

using OwnedBuffer = Owned<VkBuffer, &DeviceApi::DestroyBuffer>;
using OwnedCommandPool = Owned<VkCommandPool, &DeviceApi::DestroyCommandPool>;
using OwnedDescriptorPool = Owned<VkDescriptorPool, &DeviceApi::DestroyDescriptorPool>;
using OwnedMemory = Owned<VkDeviceMemory, &DeviceApi::FreeMemory>;
using OwnedPipeline = Owned<VkPipeline, &DeviceApi::DestroyPipeline>;
using OwnedPipelineLayout = Owned<VkPipelineLayout, &DeviceApi::DestroyPipelineLayout>;
using OwnedQueryPool = Owned<VkQueryPool, &DeviceApi::DestroyQueryPool>;
using OwnedSemaphore = Owned<VkSemaphore, &DeviceApi::DestroySemaphore>;
using OwnedSetLayout = Owned<VkDescriptorSetLayout, &DeviceApi::DestroyDescriptorSetLayout>;
using OwnedShaderModule = Owned<VkShaderModule, &DeviceApi::DestroyShaderModule>;

}  // namespace vyre::backends::vulkan
