#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/raw_device.hpp"

namespace vyre::bench {

/// One dispatch.
struct RawStep {
  std::vector<RawView> views = {};  ///< By binding.
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::vector<std::byte> params = {};
  bool waits = false;  ///< For the steps before it.
};

/// The bytes of parameters.
template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span{&value, 1});
  return {bytes.begin(), bytes.end()};
}

/// A job of one kernel in Vulkan as one writes it by hand: mapped buffers, a descriptor set for each choice of views,
/// and one command buffer that is recorded once and replayed, with nothing bound or pushed twice.
class RawList {
 public:
  /// A kernel with storage buffers in set 0. Ends the process if anything fails.
  RawList(std::span<const std::uint32_t> kernel, std::span<const std::uint64_t> buffer_sizes,
          std::vector<RawStep> steps);

  /// The bytes of a buffer, shared with the device. Zeros at first.
  [[nodiscard]] std::span<std::byte> mapped(std::uint32_t buffer) const noexcept { return raw_.mapped(buffer); }
  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }
  /// Submits and waits.
  void run() { raw_.run(commands_); }
  /// Submits, and gives the value to wait for. Nothing of the list may be pending.
  [[nodiscard]] std::uint64_t submit() { return raw_.submit(commands_); }
  void wait(std::uint64_t value) const { raw_.wait(value); }
  /// Records one step alone, submits it and waits: what is to be avoided.
  void run_alone(std::size_t step);
  /// All of them so.
  void run_one_by_one();

 private:
  void make_sets();
  void record(VkCommandBuffer commands, std::size_t begin, std::size_t end, VkCommandBufferUsageFlags flags);

  std::vector<RawStep> steps_;
  RawDevice raw_;
  RawKernel kernel_;
  std::vector<VkDescriptorSet> sets_;  ///< By step.
  VkCommandBuffer commands_;
  VkCommandBuffer alone_;
};

}  // namespace vyre::bench
