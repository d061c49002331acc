#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/raw_device.hpp"

namespace vyre::bench {

enum class HandForm : std::uint8_t {
  Descriptor,  ///< A dispatch per item, its views in a descriptor set.
  Pointer,     ///< A dispatch per item, its views in a record.
  Merged,      ///< One dispatch, the item in the z dimension of the grid.
  Strided,     ///< One dispatch of a few workgroups, each taking every so manieth item.
  Contiguous,  ///< One dispatch of a few workgroups, each taking as many items in a row.
  Queue,       ///< One dispatch of a few workgroups, taking items from a counter.
};

/// What keeps an access inside its view. The descriptor form is always kept there by the driver.
enum class HandBounds : std::uint8_t {
  None,
  Branch,   ///< An access outside is not made.
  Address,  ///< An access outside goes to zeros, or to where nobody looks.
  Clamp,    ///< A read outside is one of the last element, and not used; a write is not made.
  First,    ///< A read outside is one of the first element, and not used; a write is not made.
};

/// How a workgroup comes to its record.
enum class HandRead : std::uint8_t {
  Struct,     ///< Through an address, as one value.
  Vectors,    ///< Through an address, by four words.
  Scalars,    ///< Through an address, word by word.
  Lanes,      ///< Through an address, a word by each invocation of a subgroup, which tells the others.
  LanePairs,  ///< As before, two words by each.
  Pairs,      ///< Through an address, by two words as one integer.
  Storage,    ///< From a storage buffer that is bound.
  Uniform,    ///< From a uniform buffer that is bound.
};

/// What is done about items of several workgroups, of which there are none here.
enum class HandGrid : std::uint8_t {
  One,    ///< Nothing.
  Loops,  ///< A loop for each dimension.
  Carry,  ///< One loop that counts in three dimensions.
};

struct HandVariant {
  HandForm form = HandForm::Descriptor;
  HandBounds bounds = HandBounds::Branch;
  HandRead read = HandRead::Struct;
  HandGrid grid = HandGrid::One;  ///< Other than the first only where the record is read whole or in pairs by lanes.
  std::uint32_t local = 0;   ///< Invocations of a workgroup, which take turns for an item; 0 for as many as it has.
  std::uint32_t groups = 4;  ///< Where they are few.
  std::uint32_t chunk = 1;   ///< Items taken from the queue at once.
  bool is_recorded_anew = false;  ///< At every run.
  bool is_table_new = false;      ///< At every run: written by the host and copied in the queue.
};

enum class HandItems : std::uint8_t {
  Uneven,  ///< Of every sixteen, one has fewer elements and two have a view that is an element too short.
  Even,    ///< All have as many elements.
};

/// Many small saxpys in Vulkan and GLSL written by hand, in several forms.
///
/// A record is what a derived form has: group counts, two entries, parameters.
class SaxpyByHand {
 public:
  struct Record {
    std::uint32_t groups[4] = {1, 1, 1, 0};
    std::uint32_t x[4] = {};  ///< Address, bytes, elements.
    std::uint32_t y[4] = {};
    float scale = 0;
    std::uint32_t count = 0;
    std::uint32_t unused[2] = {};
  };

  /// One way to do all items.
  class Variant {
   public:
    Variant(SaxpyByHand& items, const HandVariant& how);
    /// Submits and waits.
    void run();
    /// Runs once and compares with what the host makes of it.
    [[nodiscard]] bool is_right();

   private:
    void record();
    void record_list();

    SaxpyByHand* all_;
    HandVariant how_;
    RawKernel kernel_;
    std::vector<VkDescriptorSet> sets_;
    VkCommandBuffer commands_;
  };

  /// `width` is a multiple of 8.
  SaxpyByHand(std::uint32_t count, std::uint32_t width, HandItems items = HandItems::Uneven);

  /// The variant must not outlive this.
  [[nodiscard]] Variant make(const HandVariant& how) { return Variant{*this, how}; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  /// What all items read, and what they read and write, one view behind another.
  [[nodiscard]] std::span<float> x() const;
  [[nodiscard]] std::span<float> y() const;
  [[nodiscard]] std::span<const Record> records() const noexcept { return records_; }
  /// Gives both the values they had at first.
  void fill();

 private:
  [[nodiscard]] std::span<float> floats(std::uint32_t buffer) const;
  [[nodiscard]] std::vector<RawView> views(std::uint32_t item) const;

  std::uint32_t count_;
  std::uint32_t width_;
  RawDevice raw_;
  std::vector<Record> records_;
};

}  // namespace vyre::bench
