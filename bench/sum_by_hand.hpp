#pragma once

#include <cstdint>
#include <vector>

#include "bench/raw_device.hpp"

namespace vyre::bench {

/// How a kernel comes to its many buffers.
enum class SumBinding : std::uint8_t {
  Descriptors,
  Loop,      ///< By a table, entry by entry in a loop.
  Unrolled,  ///< By a table, entry by entry, all written out.
  Lanes,     ///< By a table, an entry by each invocation of a subgroup, which tells the others.
};

struct SumVariant {
  SumBinding binding = SumBinding::Descriptors;
  std::uint32_t buffers = 4;      ///< Of a dispatch, at most 32 by descriptors.
  bool is_checked = true;         ///< By descriptors always.
  bool is_recorded_anew = false;  ///< At every run.
  bool is_bound_anew = false;     ///< At every run: sets updated, which needs them recorded anew; or the table copied.
};

/// Many dispatches, each of which adds up many buffers of its own into the last, in Vulkan and GLSL written by hand.
class SumByHand {
 public:
  static constexpr std::uint32_t kWidth = 64;

  /// One way to do all dispatches.
  class Variant {
   public:
    Variant(SumByHand& sums, const SumVariant& how);
    /// Submits and waits.
    void run();
    /// Runs once and compares with what the host makes of it.
    [[nodiscard]] bool is_right();

   private:
    void record();

    SumByHand* all_;
    SumVariant how_;
    RawKernel kernel_;
    std::vector<VkDescriptorSet> sets_;
    VkCommandBuffer commands_;
  };

  SumByHand(std::uint32_t dispatches, std::uint32_t max_buffers);

  /// The variant must not outlive this.
  [[nodiscard]] Variant make(const SumVariant& how) { return Variant{*this, how}; }
  [[nodiscard]] std::uint32_t dispatches() const noexcept { return dispatches_; }

 private:
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t elements = 0;
  };

  [[nodiscard]] std::vector<RawView> views(std::uint32_t dispatch, std::uint32_t buffers) const;
  void write_table(std::uint32_t buffers);

  std::uint32_t dispatches_;
  std::uint32_t max_buffers_;
  RawDevice raw_;
  std::uint64_t data_address_;
};

}  // namespace vyre::bench
