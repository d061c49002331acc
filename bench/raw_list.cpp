#include "bench/raw_list.hpp"

#include <algorithm>

namespace vyre::bench {

RawList::RawList(std::span<const std::uint32_t> kernel, std::span<const std::uint64_t> buffer_sizes,
                 std::span<const RawStep> steps)
    : raw_{buffer_sizes, static_cast<std::uint32_t>(steps.size()),
           static_cast<std::uint32_t>(steps.size() * steps.front().views.size())},
      kernel_{raw_.make_kernel({.words = kernel,
                                .storage_buffers = static_cast<std::uint32_t>(steps.front().views.size()),
                                .push_bytes = static_cast<std::uint32_t>(steps.front().params.size())})},
      commands_{raw_.make_commands()} {
  record(steps);
}

void RawList::record(std::span<const RawStep> steps) {
  struct KnownSet {
    const std::vector<RawView>* views = nullptr;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  std::vector<KnownSet> known;
  const VolkDeviceTable& vk = raw_.vk();
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vk.vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  vk.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.pipeline);
  const RawStep* previous = nullptr;
  for (const RawStep& step : steps) {
    if (step.waits) raw_.barrier(commands_, false);
    if (previous == nullptr || previous->views != step.views) {
      auto found = std::ranges::find_if(known, [&](const KnownSet& set) { return *set.views == step.views; });
      if (found == known.end())
        found = known.insert(found, {.views = &step.views, .set = raw_.make_set(kernel_, step.views)});
      vk.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout, 0, 1, &found->set, 0,
                                 nullptr);
    }
    if (!step.params.empty() && (previous == nullptr || previous->params != step.params)) {
      vk.vkCmdPushConstants(commands_, kernel_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            static_cast<std::uint32_t>(step.params.size()), step.params.data());
    }
    vk.vkCmdDispatch(commands_, step.groups[0], step.groups[1], step.groups[2]);
    previous = &step;
  }
  raw_.barrier(commands_, true);
  check(vk.vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

}  // namespace vyre::bench
