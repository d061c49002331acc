#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <vyre/plan/batch.hpp>
#include <vyre/runtime/batch_planner.hpp>
#include <vyre/runtime/dispatch_check.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::runtime {

/// A dispatch that was checked once and is enqueued by name.
struct PreparedDispatch {
  bool is_alive = false;
  std::uint32_t program = 0;
  std::vector<backend::BufferRange> ranges = {};
  std::vector<std::uint32_t> buffers = {};  ///< Of each range: the number of its buffer.
  backend::Groups groups = {1, 1, 1};
  std::vector<std::byte> params = {};
  std::uint64_t hash = 0;
  std::uint32_t repeat = 1;
  std::string label = {};

  [[nodiscard]] CheckedDispatch checked() const noexcept;
};

/// Operations that were captured together, with the waves, labels and buffers by which `change` changes them.
struct CapturedBatch {
  bool is_alive = false;
  plan::Batch batch = {};
  std::vector<std::uint32_t> waves = {};    ///< Of each operation.
  std::vector<std::string> labels = {};     ///< Of each dispatch.
  std::vector<std::uint32_t> buffers = {};  ///< The numbers of its buffers, sorted.
};

/// Prepared dispatches and captures, which the user names. One ends when one of its buffers is freed.
///
/// Thread safety: one thread at a time.
class PreparedWork {
 public:
  explicit PreparedWork(std::uint64_t session) noexcept : session_{session} {}

  [[nodiscard]] Prepared add(const CheckedDispatch& dispatch);
  /// `InvalidArgument` for a name of another session, one that was never given, or one whose buffers are gone.
  [[nodiscard]] Result<const PreparedDispatch*> find(Prepared name) const {
    if (has(name)) [[likely]]
      return &prepared_[name.index];
    return refused(name);
  }
  [[nodiscard]] bool has(Prepared name) const noexcept {
    return name.session == session_ && name.index < prepared_.size() && prepared_[name.index].is_alive;
  }
  [[nodiscard]] const PreparedDispatch& at(std::uint32_t index) const noexcept { return prepared_[index]; }
  /// The buffers of prepared dispatches, each once.
  [[nodiscard]] std::vector<std::uint32_t> buffers_of(std::span<const std::uint32_t> prepared) const;

  /// Keeps a batch that was captured, planned in one arm.
  [[nodiscard]] Capture add(const plan::Batch& batch, const plan::Plan& plan, std::span<const std::string> labels,
                            std::vector<std::uint32_t> buffers);
  [[nodiscard]] Result<const CapturedBatch*> find(Capture name) const;

  /// A captured batch with other parameters and buffers, until the next call. `InvalidArgument`, naming it, for a label
  /// or buffer that the capture does not have, parameters that do not fit, and buffers with which an operation would
  /// have to wait for another where the captured ones do not.
  struct Changes {
    std::span<const CaptureParams> params = {};
    std::span<const CaptureBuffer> buffers = {};
    std::uint64_t number = 0;  ///< The number of the batch that is launched.
  };
  [[nodiscard]] Result<const plan::Batch*> change(const CapturedBatch& captured, const Changes& changes,
                                                  BufferTable& buffers, const ProgramTable& programs,
                                                  BatchPlanner& planner);

  /// Ends the dispatches and captures that use a buffer.
  void forget_buffer(std::uint32_t buffer);
  /// Whether a prepared dispatch or a capture that has not ended runs a program.
  [[nodiscard]] bool needs_program(std::uint32_t program) const noexcept;

 private:
  [[nodiscard]] std::unexpected<Error> refused(Prepared name) const;
  [[nodiscard]] Result<void> change_params(const CapturedBatch& captured, const CaptureParams& given,
                                           const ProgramTable& programs);
  [[nodiscard]] Result<void> change_buffers(const CapturedBatch& captured, std::span<const CaptureBuffer> others,
                                            BufferTable& buffers, const ProgramTable& programs, BatchPlanner& planner);

  std::uint64_t session_;
  std::vector<PreparedDispatch> prepared_;
  std::vector<CapturedBatch> captures_;
  plan::Batch changed_;  // The result of `change`, whose memory is reused.
};

}  // namespace vyre::runtime
