#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/choice/way.hpp>
#include <vyre/plan/batch.hpp>
#include <vyre/plan/plan.hpp>
#include <vyre/runtime/device_timer.hpp>

namespace vyre::runtime {

/// A batch uses at most this many queues, one for each arm of its plan.
inline constexpr std::size_t kMaxArms = 4;

/// By arm: where the device's time is taken.
using TimerPlaces = std::array<DeviceTimer::Place, kMaxArms>;

/// What a launch did with the dispatches of one program.
struct ProgramLaunch {
  std::uint32_t program = 0;
  program::FormKind form = program::FormKind::Descriptor;  ///< The form of the dispatches that it suits.
  bool has_too_long = false;  ///< Whether some dispatches are too long for the form, and run as written.
  bool has_cut = false;       ///< Whether some dispatches have views that the form does not suit, and run as written.

  friend bool operator==(const ProgramLaunch&, const ProgramLaunch&) = default;
};

/// A batch that is kept as recordings, one for each arm of its plan.
struct KeptBatch {
  std::uint64_t hash = 0;  ///< The hash of the batch; in the way `Table`, the hash of its lowered list's shape.
  choice::Way way = choice::Way::Replay;
  std::uint64_t shape = 0;         ///< The key of its shape, if the tuner chose its launch mode.
  backend::CommandList list = {};  ///< The operations of the batch; in the way `Table`, its lowered list.
  backend::ListNames names = {};
  std::array<backend::RecordingHandle, kMaxArms> recordings = {};
  TimerPlaces places = {};
  plan::PlanCounts plan = {};
  std::vector<ProgramLaunch> programs = {};  ///< By program number, in order.
  bool is_captured = false;          ///< Kept until one of its buffers or programs ends, whatever the bounds are.
  plan::Batch::Name found_for = {};  ///< The batch that was last found to equal `list`; it need not be compared again.
  std::uint64_t last_used = 0;
};

/// The recordings of batches that came back, bounded by their number and by the bytes of their lists.
///
/// The least recently used batch makes room. One recording is always kept, however large. Captured batches do not count
/// towards the bounds. Pointers to kept batches are valid until the next call that is not `const`. Thread safety: one
/// thread at a time; the device outlives this.
class RecordingCache {
 public:
  struct Bounds {
    std::size_t recordings = 0;
    std::size_t bytes = 0;
  };

  RecordingCache(backend::Device& device, const Bounds& bounds) noexcept : device_{&device}, bounds_{bounds} {}
  RecordingCache(const RecordingCache&) = delete;
  RecordingCache& operator=(const RecordingCache&) = delete;
  ~RecordingCache() { clear(); }

  /// The kept batch that equals this one, or null.
  [[nodiscard]] KeptBatch* find(const plan::Batch& batch, choice::Way way);
  /// A recording in the way `Table` that runs the lowered list `planned` after a change of its table, or null.
  /// `is_fixed(pipeline)` says whether dispatches of a pipeline read no table.
  template <typename IsFixed>
  [[nodiscard]] KeptBatch* find_table(std::uint64_t hash, const backend::CommandList& planned, IsFixed is_fixed);

  /// Records the lists in `arms` and keeps them with `made`, an entry that is complete but for its recordings and the
  /// handles they name. Drops other batches first if the cache is beyond its bounds. If the device refuses a list,
  /// gives its error and keeps nothing.
  [[nodiscard]] Result<KeptBatch*> keep(KeptBatch made, std::span<const backend::CommandList> arms);

  /// Drops every recording that names a buffer or a pipeline, before that is freed.
  void forget(backend::BufferHandle buffer);
  void forget(backend::PipelineHandle pipeline);
  void clear();

  [[nodiscard]] std::span<const KeptBatch> batches() const noexcept { return kept_; }

 private:
  template <typename Names, typename Handle>
  void forget(Names names, Handle handle);
  void drop(KeptBatch& kept);
  void touch(KeptBatch& kept) noexcept { kept.last_used = ++uses_; }

  backend::Device* device_;
  Bounds bounds_;
  std::vector<KeptBatch> kept_;
  std::size_t bounded_ = 0;  // How many of them are not captured,
  std::size_t bytes_ = 0;    // and the bytes of the lists of these.
  std::uint64_t uses_ = 0;
};

template <typename IsFixed>
KeptBatch* RecordingCache::find_table(std::uint64_t hash, const backend::CommandList& planned, IsFixed is_fixed) {
  const auto found = std::ranges::find_if(kept_, [&](const KeptBatch& each) {
    return each.way == choice::Way::Table && each.hash == hash && !backend::find_change(each.list, planned, is_fixed);
  });
  if (found == kept_.end()) return nullptr;
  touch(*found);
  return &*found;
}

}  // namespace vyre::runtime
