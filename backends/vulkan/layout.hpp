#pragma once

#include <cstdint>
#include <vector>

#include <backends/vulkan/device_query.hpp>
#include <backends/vulkan/owned.hpp>
#include <vyre/backend/driver.hpp>

namespace vyre::backends::vulkan {

/// A pipeline layout with its descriptor set layouts. Pipelines with the same slots and parameter size share one.
/// Layouts live as long as the device.
struct Layout {
  std::size_t index = 0;  ///< Its index among the layouts of the device.
  std::vector<backend::BindingSlot> slots;
  std::vector<OwnedSetLayout> owned_sets;
  std::vector<VkDescriptorSetLayout> sets;
  OwnedPipelineLayout pipeline_layout;
  std::uint32_t ranges = 0;  ///< The number of ranges of a dispatch.
  std::uint32_t storage_buffers = 0;
  std::uint32_t uniform_buffers = 0;
};

class VulkanPipeline final : public backend::DriverPipeline {
 public:
  VulkanPipeline(OwnedPipeline pipeline, const Layout& layout) noexcept
      : pipeline_{std::move(pipeline)}, layout_{layout} {}

  [[nodiscard]] VkPipeline native() const noexcept { return pipeline_.get(); }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }

 private:
  OwnedPipeline pipeline_;
  const Layout& layout_;
};

}  // namespace vyre::backends::vulkan
