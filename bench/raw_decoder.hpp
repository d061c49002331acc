#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <examples/decode/network.hpp>

#include "bench/raw_device.hpp"

namespace vyre::bench {

/// The decode step of `examples/decode` in Vulkan as one writes it by hand: mapped buffers, pipelines and descriptor
/// sets made before, barriers where the steps say, one submission for each token. The state is written, and logits are
/// looked at, in mapped memory. Ends the process if anything fails.
class RawDecoder {
 public:
  RawDecoder(const decode::Network& network, const std::vector<decode::Compiled>& kernels);

  /// Records the list anew, submits it and waits.
  [[nodiscard]] std::span<const float> next(decode::State state);
  /// Submits a list that was recorded once. Only where nothing but the state changes.
  [[nodiscard]] std::span<const float> next_kept(decode::State state);

 private:
  void record(VkCommandBuffer commands, std::uint32_t position, VkCommandBufferUsageFlags flags);
  [[nodiscard]] std::span<const float> run(VkCommandBuffer commands, decode::State state);

  const decode::Network& network_;
  std::vector<decode::Step> steps_;
  RawDevice raw_;
  std::vector<RawKernel> kernels_;
  std::vector<VkDescriptorSet> sets_;  ///< By step.
  VkCommandBuffer anew_;
  VkCommandBuffer kept_;
};

}  // namespace vyre::bench
