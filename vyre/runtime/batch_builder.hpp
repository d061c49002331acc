#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <vyre/plan/batch.hpp>
#include <vyre/runtime/dispatch_check.hpp>
#include <vyre/runtime/session_options.hpp>

namespace vyre::runtime {

/// A host write or read that was captured.
struct CapturedTransfer {
  std::size_t before = 0;  ///< How many operations of the capture come before it.
  BufferView view = {};
  bool is_write = false;
  std::span<const std::byte> from = {};  ///< The source of a write.
  std::span<std::byte> to = {};          ///< The target of a read.
};

/// Gathers operations into batches. If the same batch comes twice in a row, the builder notices, and does not gather it
/// a second time.
///
/// Batches are numbered from 1. The builder launches nothing: after each operation its caller asks `is_full` whether to
/// launch the batch. Thread safety: one thread at a time.
class BatchBuilder {
 public:
  explicit BatchBuilder(std::size_t max_operations);

  /// The batch that is being gathered, without the prepared dispatches that `repeat` has counted and the parts that the
  /// builder holds.
  [[nodiscard]] const plan::Batch& batch() const noexcept { return gathered_->batch; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] bool empty() const noexcept { return held_ == nullptr && gathered_->batch.empty(); }
  /// Whether the batch must be launched before another operation is added. Never true during a capture, which may have
  /// more operations than a batch.
  [[nodiscard]] bool is_full() const noexcept {
    return gathered_->batch.operations() >= max_operations_ && !is_capturing_;
  }
  /// How many operations the batch has room for; at least 1.
  [[nodiscard]] std::size_t room() const noexcept;
  /// `InvalidArgument` if a capture would have more operations than a list may have.
  [[nodiscard]] Result<void> check_room(std::uint64_t more) const {
    if (!is_capturing_ || more <= kMaxOperations - gathered_->batch.operations()) [[likely]]
      return {};
    return too_many(more);
  }

  /// Adds a dispatch once. `prepared` is the number of the prepared dispatch it comes from, or `kNotPrepared`.
  static constexpr std::uint32_t kNotPrepared = ~std::uint32_t{0};
  void add(const CheckedDispatch& dispatch, backend::PipelineHandle pipeline, std::uint32_t prepared);
  /// Adds checked dispatches of one program. `params` has the parameters of all dispatches, one after another.
  void add(const CompiledProgram& program, std::uint32_t number, const BufferTable& buffers,
           std::span<const DispatchItem> items, std::span<const std::byte> params);
  /// `is_leading`: no operation of the batch uses the bytes that the copy writes.
  void add(const backend::Copy& copy, bool is_leading = false);
  void add(const backend::Fill& fill);
  /// Adds a part of a captured batch. As long as the batch at hand has nothing else than parts of one captured batch
  /// from its beginning on, the builder *holds* them instead of copying them; both arguments live until `next`. After
  /// them, copies are all that may be added to the batch at hand.
  void add(const plan::Batch& captured, const plan::BatchPart& part);
  /// Whether the batch at hand is all of this captured batch, held.
  [[nodiscard]] bool holds(const plan::Batch& captured) const noexcept {
    return held_ == &captured && held_parts_.back()->end == captured.list.commands().size();
  }
  /// Copies the parts that the builder holds, so that `batch` has them.
  void copy_held() {
    if (held_ != nullptr) [[unlikely]]
      copy_parts();
  }
  /// Begins the next batch.
  void next() noexcept;

  // Recognising that the current batch is the same as the previous one.

  /// Whether the current batch is empty and `items` are exactly the previous batch. Such items were checked with that
  /// batch and need no second check. `buffers_again` then gives their buffers.
  [[nodiscard]] bool is_previous(const CompiledProgram& program, const BufferTable& buffers,
                                 std::span<const DispatchItem> items);
  /// Counts a prepared dispatch instead of adding it, if the previous batch has the same one at the same place.
  /// Otherwise gives false, and the caller must add it. Before the batch is launched, the caller turns counted
  /// dispatches into operations: with `take_previous` if they are all of the previous batch, with `take_repeated`
  /// otherwise.
  [[nodiscard]] bool repeat(std::uint32_t prepared) noexcept {
    if (repeated_ >= previous_->prepared.size() || previous_->prepared[repeated_] != prepared || !may_repeat_) {
      return false;
    }
    ++repeated_;
    return true;
  }
  /// Counts all of the prepared dispatches, or none of them and gives false: also if they may fill the batch.
  [[nodiscard]] bool repeat(std::span<const Prepared> all, std::uint64_t session) noexcept;
  /// Whether `repeat` has counted dispatches that are not in the batch yet.
  [[nodiscard]] bool has_repeated() const noexcept { return repeated_ > 0; }
  /// Whether the counted dispatches are all dispatches of the previous batch, so that `take_previous` may be called.
  [[nodiscard]] bool has_repeated_all() const noexcept { return repeated_ == previous_->prepared.size(); }
  /// Whether one more counted dispatch would fill the batch.
  [[nodiscard]] bool is_nearly_full_of_repeated() const noexcept { return repeated_ + 1 >= max_operations_; }
  /// Whether the counted dispatches fill the batch, which must then be launched.
  [[nodiscard]] bool is_full_of_repeated() const noexcept { return repeated_ >= max_operations_; }
  /// Gives the numbers of the counted dispatches, which the caller then adds one by one. None is counted afterwards.
  [[nodiscard]] std::vector<std::uint32_t> take_repeated();
  /// Makes the previous batch the current one. Precondition: the current batch is empty.
  void take_previous() noexcept;
  /// The buffers of the previous batch, by number. A buffer may occur more than once.
  [[nodiscard]] std::span<const std::uint32_t> buffers_again() const noexcept { return previous_->buffers; }
  /// The prepared dispatches of the previous batch, by number, if it has no other operations.
  [[nodiscard]] std::span<const std::uint32_t> prepared_again() const noexcept { return previous_->prepared; }
  /// Stores the buffers of the previous batch, for `buffers_again`.
  void keep_buffers(std::vector<std::uint32_t> buffers) { previous_->buffers = std::move(buffers); }
  /// Forgets the previous batch, because one of its buffers or programs is about to be freed.
  void forget_previous() noexcept;

  // Captures.

  void begin_capture() noexcept;
  void end_capture() noexcept;
  void add(const CapturedTransfer& transfer) {
    transfers_.push_back(transfer);
    transfers_.back().before = gathered_->batch.list.commands().size();
  }
  [[nodiscard]] bool is_capturing() const noexcept { return is_capturing_; }
  /// The labels of the dispatches of the capture, one for each.
  [[nodiscard]] std::span<const std::string> labels() const noexcept { return labels_; }
  /// The host transfers of the capture, in order.
  [[nodiscard]] std::span<const CapturedTransfer> transfers() const noexcept { return transfers_; }

 private:
  struct Gathered {
    plan::Batch batch = {};
    // By operation: the number of the prepared dispatch. Empty if some operation is not a prepared dispatch.
    std::vector<std::uint32_t> prepared = {};
    std::vector<std::uint32_t> buffers = {};  // The numbers of its buffers; empty until they are needed.
  };

  void copy_parts();
  [[nodiscard]] Result<void> too_many(std::uint64_t more) const;
  void note_other() noexcept {
    has_others_ = true;
    gathered_->prepared.clear();
  }

  std::size_t max_operations_;
  // The current and the previous batch. They change places with every batch.
  std::unique_ptr<Gathered> gathered_ = std::make_unique<Gathered>();
  std::unique_ptr<Gathered> previous_ = std::make_unique<Gathered>();
  std::uint64_t number_ = 1;
  std::size_t repeated_ = 0;  // The number of prepared dispatches of the previous batch that were counted.
  bool may_repeat_ = true;    // Whether the current batch has no operation yet.
  bool has_others_ = false;   // Whether the current batch has an operation that is not a prepared dispatch.
  bool is_capturing_ = false;
  std::vector<std::string> labels_;
  std::vector<CapturedTransfer> transfers_;
  const plan::Batch* held_ = nullptr;               // The captured batch whose parts are held,
  std::vector<const plan::BatchPart*> held_parts_;  // and these parts. Then `gathered_` is empty.
  std::array<std::byte, Params::kMaxBytes> param_room_ = {};
};

}  // namespace vyre::runtime
