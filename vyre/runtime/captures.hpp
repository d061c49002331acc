#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/plan/batch.hpp>
#include <vyre/runtime/batch_builder.hpp>
#include <vyre/runtime/batch_planner.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::runtime {

/// Operations of a capture between two host transfers.
struct CapturedPart {
  /// Some bytes of a buffer.
  struct Range {
    std::uint32_t buffer = 0;  ///< The number of the buffer.
    std::uint64_t offset = 0;
    std::uint64_t size = 0;

    friend auto operator<=>(const Range&, const Range&) = default;
  };

  plan::BatchPart operations = {};
  std::vector<std::uint32_t> buffers = {};  ///< The numbers of the buffers that they use, sorted.
  std::vector<Range> writes = {};           ///< What they write to, each range once.
};

/// A dispatch with a label.
struct LabelledDispatch {
  std::uint32_t operation = 0;
  std::uint32_t program = 0;
  std::uint64_t hash = 0;   ///< With the parameters that it has in the changed batch.
  std::uint64_t power = 0;  ///< `hash_power` of the operations after it.
};

/// Operations and host transfers that were captured together.
struct CapturedBatch {
  plan::Batch batch = {};  ///< All operations.
  std::vector<CapturedPart> parts = {};
  std::vector<CapturedTransfer> transfers = {};
  std::vector<std::uint32_t> waves = {};    ///< Of each operation.
  std::vector<std::uint32_t> buffers = {};  ///< The numbers of all buffers, sorted.

  struct Label {
    std::string name = {};
    std::vector<LabelledDispatch> dispatches = {};
  };
  std::vector<Label> labels = {};  ///< Sorted by name.

  /// `batch` with other parameters and buffers, as `Captures::change` made it last. It keeps its memory, and what the
  /// next change does not touch.
  plan::Batch changed = {};
  /// How `changed` differs from `batch`: in the parameters of these labels alone, or in anything.
  std::vector<std::uint32_t> changed_labels = {};
  bool has_other_changes = true;
};

/// What a replay changes.
struct CaptureChanges {
  std::span<const CaptureParams> params = {};
  std::span<const CaptureBuffer> buffers = {};
  std::span<const CaptureBytes> bytes = {};

  [[nodiscard]] bool has_other_batch() const noexcept { return !params.empty() || !buffers.empty(); }
  /// The number of the buffer that takes the place of a captured one, or that one.
  [[nodiscard]] std::uint32_t buffer_for(std::uint32_t captured) const noexcept;
  /// The view that a transfer reaches.
  [[nodiscard]] BufferView view_for(const BufferView& captured) const noexcept;
  /// The host memory of a transfer.
  [[nodiscard]] std::span<const std::byte> source_of(const CapturedTransfer& transfer) const noexcept;
  [[nodiscard]] std::span<std::byte> target_of(const CapturedTransfer& transfer) const noexcept;
};

/// The captures of a session. One ends when one of its buffers is freed.
///
/// Captured batches stay where they are until they end. Thread safety: one thread at a time.
class Captures {
 public:
  explicit Captures(std::uint64_t session) noexcept : session_{session} {}

  /// Keeps what a builder has gathered for a capture. `plan` is the plan of its batch in one arm.
  [[nodiscard]] Capture add(const BatchBuilder& builder, const plan::Plan& plan, const BufferTable& buffers,
                            const ProgramTable& programs);
  /// `InvalidArgument` for a name of another session, one that was never given, or one whose buffers are gone.
  [[nodiscard]] Result<CapturedBatch*> find(Capture name);

  /// The batch of a capture with other parameters and buffers, until the next change of the capture. `number` is the
  /// number of the batch that is launched. With other parameters alone, nothing is looked at but their dispatches.
  ///
  /// `InvalidArgument`, naming it, for a label or buffer that the capture does not have, parameters that do not fit,
  /// and buffers with which an operation would have to wait for another where the captured ones do not.
  [[nodiscard]] static Result<const plan::Batch*> change(CapturedBatch& captured, const CaptureChanges& changes,
                                                         std::uint64_t number, BufferTable& buffers,
                                                         const ProgramTable& programs, BatchPlanner& planner);
  /// `InvalidArgument` for host memory of a view that the capture does not transfer, or of another size.
  [[nodiscard]] static Result<void> check_bytes(const CapturedBatch& captured, std::span<const CaptureBytes> bytes);

  /// Ends the captures that use a buffer.
  void forget_buffer(std::uint32_t buffer);
  /// Whether a capture that has not ended runs a program.
  [[nodiscard]] bool needs_program(std::uint32_t program) const noexcept;

 private:
  std::uint64_t session_;
  std::vector<std::unique_ptr<CapturedBatch>> captures_;  // Null for one that has ended.
};

}  // namespace vyre::runtime
