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

/// By arm: the place where the device writes the timestamps of its list.
using TimerPlaces = std::array<DeviceTimer::Place, kMaxArms>;

/// What a launch did with the dispatches of one program.
struct ProgramLaunch {
  std::uint32_t program = 0;
  program::FormKind form = program::FormKind::Descriptor;  ///< The form of all dispatches that can run in it.
  bool has_too_long = false;  ///< Whether some dispatches run as written, because they are too long for the form.
  bool has_cut = false;       ///< Whether some dispatches run as written, because a view ends within an element.

  friend bool operator==(const ProgramLaunch&, const ProgramLaunch&) = default;
};

/// A batch that is kept as recordings, one for each arm of its plan.
struct KeptBatch {
  std::uint64_t hash = 0;  ///< The hash of the batch. In the way `Table`: `plan::hash_shape` of its lowered list.
  choice::Way way = choice::Way::Replay;
  std::uint64_t shape = 0;         ///< The key of the batch's shape, if the tuner chose its launch mode.
  backend::CommandList list = {};  ///< The operations of the batch. In the way `Table`: its lowered list.
  backend::ListNames names = {};
  std::array<backend::RecordingHandle, kMaxArms> recordings = {};
  TimerPlaces places = {};
  plan::PlanCounts plan = {};
  std::vector<ProgramLaunch> programs = {};  ///< Sorted by program number.
  bool is_captured = false;                  ///< Then it is kept until one of its buffers or programs is freed.
  plan::Batch::Name found_for =
      {};  ///< The batch that was last found equal to `list`, which need not be compared again.
  std::uint64_t last_used = 0;
};

/// The recordings of batches, kept to be replayed when the batch comes again.
///
/// Their number and the bytes of their lists are limited: when a limit is exceeded, the least recently used batch is
/// dropped, but one recording is always kept, however large. Captured batches do not count towards the limits. Pointers
/// to kept batches are valid until the next call that is not `const`. Thread safety: one thread at a time; the device
/// outlives this.
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
  /// A kept batch in the way `Table` whose recording can run the lowered list `planned` after its table is rewritten,
  /// or null. `is_fixed(pipeline)` says whether dispatches of a pipeline read nothing from a table.
  template <typename IsFixed>
  [[nodiscard]] KeptBatch* find_table(std::uint64_t hash, const backend::CommandList& planned, IsFixed is_fixed);

  /// Records the lists in `arms`, one for each arm, and keeps the recordings with `made`. The caller has filled in all
  /// members of `made` but the recordings and the names of their buffers and pipelines. Drops other batches first if a
  /// limit is exceeded. If the device refuses a list, gives its error and keeps nothing.
  [[nodiscard]] Result<KeptBatch*> keep(KeptBatch made, std::span<const backend::CommandList> arms);

  /// Call these before a buffer or pipeline is freed: they drop every recording that uses it.
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
  std::size_t bounded_ = 0;  // The number of kept batches that are not captured,
  std::size_t bytes_ = 0;    // and the bytes of their lists.
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
