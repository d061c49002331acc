#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/program/forms/form.hpp>

namespace vyre::bench {

/// What is done at every run with a list that vyre has.
enum class VyreLaunch : std::uint8_t {
  Anew,     ///< Submitted, and so translated.
  Replay,   ///< Replayed.
  Updated,  ///< Replayed with another list: new tables.
};

/// A kernel with what many dispatches of it are given, in a form that vyre derives.
class VyreItems {
 public:
  struct Item {
    std::vector<backend::BufferRange> ranges;
    std::vector<std::byte> params;
  };

  /// `device` must outlive this.
  VyreItems(backend::Device& device, const program::Program& program, program::FormKind form, VyreLaunch launch,
            const std::vector<Item>& items);

  /// Submits and waits.
  void run();

 private:
  backend::Device& device_;
  VyreLaunch launch_;
  backend::CommandList list_;
  backend::RecordingHandle recording_ = {};
};

/// The saxpys of `SaxpyByHand`: x and y of as many floats as all items have together, one view of each behind another.
struct VyreSaxpy {
  VyreSaxpy(backend::Device& device, std::uint32_t count, std::uint32_t width);
  /// Whether a run does what it should.
  [[nodiscard]] bool is_right(VyreItems& items);

  backend::Device& device;
  program::Program program;
  std::vector<VyreItems::Item> items;
  backend::BufferHandle x = {};
  backend::BufferHandle y = {};
};

/// A kernel that sums so many buffers less one into the last, 64 floats each, and dispatches of it.
struct VyreSums {
  VyreSums(backend::Device& device, std::uint32_t dispatches, std::uint32_t buffers);

  program::Program program;
  std::vector<VyreItems::Item> items;
};

}  // namespace vyre::bench
