#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/raw_device.hpp"

namespace vyre::bench {

/// Many dispatches of one small kernel, recorded anew or replayed.
class RawVulkan {
 public:
  /// A kernel with `buffers` storage buffers and `push_bytes` of push constants; `sets` descriptor sets, the nth of
  /// which views `view_bytes` at n · `view_bytes` of each buffer.
  RawVulkan(std::span<const std::uint32_t> kernel, std::uint32_t buffers, std::uint32_t push_bytes, std::uint32_t sets,
            std::uint64_t view_bytes);

  /// Writes `count` dispatches of one group into a command buffer, each with its own set where there are several.
  void record(VkCommandBuffer commands, std::uint32_t count, std::span<const std::byte> params, bool once);
  /// Submits and waits.
  void run(VkCommandBuffer commands) { raw_.run(commands); }
  /// The same with a fence.
  void run_fenced(VkCommandBuffer commands) { raw_.run_fenced(commands); }
  /// The bytes of a buffer, shared with the device.
  [[nodiscard]] std::span<std::byte> mapped(std::uint32_t buffer) const noexcept { return raw_.mapped(buffer); }
  [[nodiscard]] VkCommandBuffer scratch() const noexcept { return scratch_; }
  [[nodiscard]] VkCommandBuffer kept() const noexcept { return kept_; }

 private:
  RawDevice raw_;
  RawKernel kernel_;
  std::vector<VkDescriptorSet> sets_;
  VkCommandBuffer scratch_;
  VkCommandBuffer kept_;
};

}  // namespace vyre::bench
