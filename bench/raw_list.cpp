#include "bench/raw_list.hpp"

#include <algorithm>
#include <utility>

namespace vyre::bench {

RawList::RawList(std::span<const std::uint32_t> kernel, std::span<const std::uint64_t> buffer_sizes,
                 std::vector<RawStep> steps)
    : steps_{std::move(steps)},
      raw_{buffer_sizes, static_cast<std::uint32_t>(steps_.size()),
           static_cast<std::uint32_t>(steps_.size() * steps_.front().views.size())},
      kernel_{raw_.make_kernel({.words = kernel,
                                .storage_buffers = static_cast<std::uint32_t>(steps_.front().views.size()),
                                .push_bytes = static_cast<std::uint32_t>(steps_.front().params.size())})},
      commands_{raw_.make_commands()},
      alone_{raw_.make_commands()} {
  make_sets();
  record(commands_, 0, steps_.size(), 0);
}

void RawList::make_sets() {
  std::vector<std::size_t> first_with;  // The steps whose views no step before them has.
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto has_views = [&](std::size_t other) { return steps_[other].views == steps_[i].views; };
    const auto found = std::ranges::find_if(first_with, has_views);
    sets_.push_back(found == first_with.end() ? raw_.make_set(kernel_, steps_[i].views) : sets_[*found]);
    if (found == first_with.end()) first_with.push_back(i);
  }
}

void RawList::record(VkCommandBuffer commands, std::size_t begin, std::size_t end, VkCommandBufferUsageFlags flags) {
  const VolkDeviceTable& vk = raw_.vk();
  const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = flags};
  check(vk.vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.pipeline);
  for (std::size_t i = begin; i < end; ++i) {
    const RawStep& step = steps_[i];
    if (step.waits && i > begin) raw_.barrier(commands, false);
    if (i == begin || sets_[i] != sets_[i - 1]) {
      vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout, 0, 1, &sets_[i], 0, nullptr);
    }
    if (!step.params.empty() && (i == begin || step.params != steps_[i - 1].params)) {
      vk.vkCmdPushConstants(commands, kernel_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            static_cast<std::uint32_t>(step.params.size()), step.params.data());
    }
    vk.vkCmdDispatch(commands, step.groups[0], step.groups[1], step.groups[2]);
  }
  raw_.barrier(commands, true);
  check(vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

void RawList::run_alone(std::size_t step) {
  record(alone_, step, step + 1, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  raw_.run(alone_);
}

void RawList::run_one_by_one() {
  for (std::size_t i = 0; i < steps_.size(); ++i) run_alone(i);
}

}  // namespace vyre::bench
