#include "bench/raw_decoder.hpp"

#include <cstddef>
#include <cstring>

namespace vyre::bench {
namespace {

constexpr std::uint32_t kMostBuffers = 4;

std::vector<std::uint64_t> sizes_of(const decode::Network& network) {
  std::vector<std::uint64_t> sizes;
  for (const std::vector<std::uint32_t>& words : network.buffers) {
    sizes.push_back(words.size() * sizeof(std::uint32_t));
  }
  return sizes;
}

RawKernel make_kernel(RawDevice& raw, const decode::Compiled& kernel, std::size_t buffers, std::size_t params) {
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<std::uint32_t> values;
  for (const vyre::SpecOverride& each : kernel.values) {
    entries.push_back({.constantID = each.spec_id,
                       .offset = static_cast<std::uint32_t>(values.size() * sizeof(std::uint32_t)),
                       .size = sizeof(std::uint32_t)});
    values.push_back(static_cast<std::uint32_t>(each.bits));
  }
  const VkSpecializationInfo specialisation{.mapEntryCount = static_cast<std::uint32_t>(entries.size()),
                                            .pMapEntries = entries.data(),
                                            .dataSize = values.size() * sizeof(std::uint32_t),
                                            .pData = values.data()};
  return raw.make_kernel({.words = kernel.program.words(),
                          .storage_buffers = static_cast<std::uint32_t>(buffers),
                          .push_bytes = static_cast<std::uint32_t>(params * sizeof(std::uint32_t)),
                          .specialisation = &specialisation});
}

}  // namespace

RawDecoder::RawDecoder(const decode::Network& network, const std::vector<decode::Compiled>& kernels)
    : network_{network},
      steps_{network.steps},
      raw_{sizes_of(network), static_cast<std::uint32_t>(network.steps.size()),
           static_cast<std::uint32_t>(network.steps.size()) * kMostBuffers},
      kernels_(kernels.size()),
      anew_{raw_.make_commands()},
      kept_{raw_.make_commands()} {
  for (std::uint32_t i = 0; i < network.buffers.size(); ++i) {
    const auto bytes = std::as_bytes(std::span{network.buffers[i]});
    std::memcpy(raw_.mapped(i).data(), bytes.data(), bytes.size());
  }
  for (const decode::Step& step : steps_) {
    RawKernel& kernel = kernels_[static_cast<std::size_t>(step.kernel)];
    if (kernel.pipeline == VK_NULL_HANDLE) {
      kernel =
          make_kernel(raw_, kernels[static_cast<std::size_t>(step.kernel)], step.buffers.size(), step.params.size());
    }
    std::vector<RawView> views;
    for (const std::uint32_t buffer : step.buffers) {
      views.push_back({.buffer = buffer, .size = raw_.mapped(buffer).size()});
    }
    sets_.push_back(raw_.make_set(kernel, views));
  }
  record(kept_, 0, 0);
}

std::span<const float> RawDecoder::next(decode::State state) {
  record(anew_, state.position, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  return run(anew_, state);
}

std::span<const float> RawDecoder::next_kept(decode::State state) { return run(kept_, state); }

std::span<const float> RawDecoder::run(VkCommandBuffer commands, decode::State state) {
  std::memcpy(raw_.mapped(network_.state).data(), &state, sizeof(state));
  raw_.run_fenced(commands);
  const std::span<const std::byte> bytes = raw_.mapped(network_.logits);
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

void RawDecoder::record(VkCommandBuffer commands, std::uint32_t position, VkCommandBufferUsageFlags flags) {
  const VolkDeviceTable& vk = raw_.vk();
  const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = flags};
  check(vk.vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  VkPipeline bound = VK_NULL_HANDLE;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    decode::Step& step = steps_[i];
    network_.set_position(step, position);
    const RawKernel& kernel = kernels_[static_cast<std::size_t>(step.kernel)];
    if (step.waits) raw_.barrier(commands, false);
    if (kernel.pipeline != bound) {
      vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
      bound = kernel.pipeline;
    }
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &sets_[i], 0, nullptr);
    vk.vkCmdPushConstants(commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                          static_cast<std::uint32_t>(step.params.size() * sizeof(std::uint32_t)), step.params.data());
    const std::array groups = network_.groups_in(step, network_.stage_of(position));
    vk.vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
  }
  raw_.barrier(commands, true);
  check(vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

}  // namespace vyre::bench
