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

/// A job of one kernel in Vulkan as one writes it by hand: mapped buffers, a descriptor set for each choice of views,
/// and one command buffer that is recorded once and replayed, with nothing bound or pushed twice.
class RawList {
 public:
  /// A kernel with storage buffers in set 0. Ends the process if anything fails.
  RawList(std::span<const std::uint32_t> kernel, std::span<const std::uint64_t> buffer_sizes,
          std::span<const RawStep> steps);

  /// The bytes of a buffer, shared with the device. Zeros at first.
  [[nodiscard]] std::span<std::byte> mapped(std::uint32_t buffer) const noexcept { return raw_.mapped(buffer); }
  /// Submits and waits.
  void run() { raw_.run(commands_); }

 private:
  void record(std::span<const RawStep> steps);

  RawDevice raw_;
  RawKernel kernel_;
  VkCommandBuffer commands_;
};

}  // namespace vyre::bench
