#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <backends/vulkan/api.hpp>

namespace vyre::backends::vulkan {

/// A device and its functions. Must outlive the objects made with it.
struct DeviceContext {
  VkDevice device = VK_NULL_HANDLE;
  DeviceApi api = {};
  /// Serialises some calls; set only if the validation layers are on. The layers report an error where there is none
  /// (github.com/KhronosGroup/Vulkan-ValidationLayers/issues/8074): when one thread destroys an object while another
  /// writes the descriptor set or resets the commands that used it before. Vulkan allows that.
  std::unique_ptr<std::mutex> turns = {};

  [[nodiscard]] std::unique_lock<std::mutex> take_turn() const {
    return turns == nullptr ? std::unique_lock<std::mutex>{} : std::unique_lock{*turns};
  }
};

/// An object of a device, destroyed with it.
template <typename Native, auto Destroy>
class Owned {
 public:
  Owned() = default;
  /// `memory`: the allocation callbacks with which the object was made.
  Owned(const DeviceContext& context, Native native, const VkAllocationCallbacks* memory = nullptr) noexcept
      : context_{&context}, native_{native}, memory_{memory} {}
  Owned(Owned&& other) noexcept
      : context_{other.context_}, native_{std::exchange(other.native_, Native{})}, memory_{other.memory_} {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(native_, other.native_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~Owned() {
    if (native_ == Native{}) return;
    const auto turn = context_->take_turn();
    (context_->api.*Destroy)(context_->device, native_, memory_);
  }

  [[nodiscard]] Native get() const noexcept { return native_; }

 private:
  const DeviceContext* context_ = nullptr;
  Native native_ = {};
  const VkAllocationCallbacks* memory_ = nullptr;
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
