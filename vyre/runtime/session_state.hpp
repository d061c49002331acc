#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <vyre/runtime/batch_builder.hpp>
#include <vyre/runtime/buffer_table.hpp>
#include <vyre/runtime/chooser.hpp>
#include <vyre/runtime/dispatch_check.hpp>
#include <vyre/runtime/host_transfers.hpp>
#include <vyre/runtime/launcher.hpp>
#include <vyre/runtime/prepared_work.hpp>
#include <vyre/runtime/program_table.hpp>
#include <vyre/runtime/run_recorder.hpp>
#include <vyre/runtime/session.hpp>
#include <vyre/runtime/session_call.hpp>
#include <vyre/runtime/stopwatch.hpp>

namespace vyre::runtime {

/// The stages of a session, and the order in which a batch goes through them: builder → chooser (with the planner) →
/// launcher → recorder; completions go through launcher, stopwatch and chooser. A stage sees another one only as an
/// argument.
struct Session::State {
  State(std::shared_ptr<backend::Device> opened, const SessionOptions& options);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  // Buffers and programs.

  [[nodiscard]] Result<BufferView> allocate(std::uint64_t size);
  [[nodiscard]] Result<void> free(const BufferView& view);
  /// The number of a program, compiled for the device if the session does not have it.
  [[nodiscard]] Result<std::uint32_t> find_program(const program::Program& program,
                                                   std::span<const program::spirv::SpecOverride> values) {
    if (const auto known = programs.find(program, values)) [[likely]]
      return *known;
    return compile(program, values);
  }
  [[nodiscard]] Result<std::uint32_t> compile(const program::Program& program,
                                              std::span<const program::spirv::SpecOverride> values);
  /// The variant of a program for dispatches whose buffers overlap, see `DispatchCheck::overlapping`.
  [[nodiscard]] Result<std::uint32_t> find_variant(std::uint32_t program);

  // Operations. Each is added to the batch at hand, which is launched when it is full.

  [[nodiscard]] Result<CheckedDispatch> check_dispatch(const program::Program& program,
                                                       std::span<const Argument> arguments,
                                                       const DispatchOptions& options);
  /// `prepared` is the number of the prepared dispatch, if this is one with its own parameters.
  [[nodiscard]] Result<void> add(const CheckedDispatch& dispatch, std::uint32_t prepared = BatchBuilder::kNotPrepared);
  [[nodiscard]] Result<void> add_many(const program::Program& program, std::span<const DispatchItem> items);
  [[nodiscard]] Result<void> add(const backend::Copy& copy, bool is_leading = false);
  [[nodiscard]] Result<void> add_fill(const BufferView& view, std::uint32_t pattern);
  [[nodiscard]] Result<void> write(const BufferView& to, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> read(const BufferView& from, std::span<std::byte> bytes);
  [[nodiscard]] Result<void> before_write(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
    if (!transfers.has_reads()) [[likely]]
      return {};
    return transfers.before_write(work(), buffer, offset, size);
  }
  [[nodiscard]] Result<void> after_operation() {
    if (!builder.is_full()) [[likely]]
      return {};
    return flush_batch();
  }
  /// Counts a prepared dispatch that the batch before has at the same place, which is all that it takes: the common
  /// case of `enqueue`. False if there is more to do, and nothing was done.
  [[nodiscard]] bool enqueue_again(Prepared name) noexcept {
    const bool may_repeat = builder.has_repeated() || !transfers.has_reads();
    return may_repeat && !builder.is_nearly_full_of_repeated() && prepared.has(name) && builder.repeat(name.index);
  }
  [[nodiscard]] bool enqueue_again(std::span<const Prepared> names) noexcept {
    const bool may_repeat = builder.has_repeated() || !transfers.has_reads();
    return may_repeat && builder.repeat(names, buffers.session());
  }
  /// Adds a prepared dispatch, or only counts it where the batch before has it at the same place.
  [[nodiscard]] Result<void> enqueue(Prepared name);
  [[nodiscard]] Result<void> enqueue(std::span<const Prepared> names);
  /// Adds the prepared dispatches that were only counted to the batch at hand.
  [[nodiscard]] Result<void> settle() {
    if (!builder.has_repeated()) [[likely]]
      return {};
    return settle_repeated();
  }
  [[nodiscard]] Result<void> settle_repeated();

  // From a batch to its launch.

  [[nodiscard]] Result<void> flush_batch();
  /// Launches a batch: the one at hand, or one that was captured.
  struct Launch {
    const plan::Batch& batch;
    bool is_captured = false;
    bool is_changed = false;
  };
  [[nodiscard]] Result<void> launch(const Launch& launch);
  [[nodiscard]] Result<void> decide_and_launch(const Launch& launch);
  [[nodiscard]] Result<void> calibrate_if_due(const plan::Batch& batch);
  /// Adds a host transfer to the capture at hand.
  [[nodiscard]] Result<void> capture(const CapturedTransfer& transfer);
  [[nodiscard]] Result<Capture> end_capture();
  [[nodiscard]] Result<void> replay(CapturedBatch& captured, const CaptureChanges& changes);
  /// Makes the transfers of a capture and adds `batch`, its operations, to the batch at hand.
  [[nodiscard]] Result<void> add_captured(const CapturedBatch& captured, const plan::Batch& batch,
                                          const CaptureChanges& changes);
  /// Notes a failure that breaks the session until `finish`.
  [[nodiscard]] std::unexpected<Error> broken(Error error);

  // Completion of batches.

  /// Asks how far the device is, without waiting. `is_just_launched`: whether the last batch was launched in this call.
  [[nodiscard]] Result<void> refresh(bool is_just_launched = false);
  [[nodiscard]] Result<void> wait_for(std::uint64_t batch);
  /// Waits for a ticket and delivers the reads that are promised with it.
  [[nodiscard]] Result<void> wait_for_ticket(std::uint64_t batch);
  /// Delivers the reads that are promised with a ticket if all its work is done; false if it is not.
  [[nodiscard]] Result<bool> poll(std::uint64_t batch);
  /// `InvalidArgument` for a ticket that the session did not give.
  [[nodiscard]] Result<void> check_ticket(SessionTicket ticket) const;
  enum class Completion : std::uint8_t {
    Earlier,  ///< At an unknown moment before now.
    JustNow,  ///< A moment ago: the last batch was launched in this call.
    Awaited,  ///< Now, at the end of a wait.
  };
  void complete(std::uint64_t upto, Completion when);
  void stop_lap(bool is_waited);
  /// The dispatches that are pending or gathered as one arm: it has the slot of a host write if one of them uses the
  /// bytes of the view.
  [[nodiscard]] Result<policy::Arm> users_of(const BufferView& view);
  /// Whether no operation of the batch at hand uses bytes of the view.
  [[nodiscard]] bool is_unused(const BufferView& view) const noexcept;
  /// Whether the host may write to a view now, at once; D3 answers that if anything is gathered or pending.
  [[nodiscard]] Result<bool> may_write_now(const BufferView& to);
  [[nodiscard]] Result<void> wait_until_idle(const BufferView& view);
  /// If much staging memory is in use, waits for all work and frees that memory.
  [[nodiscard]] Result<void> trim_staging();
  [[nodiscard]] Result<RunReport> finish();

  [[nodiscard]] HostTransfers::Work work() noexcept {
    return {.builder = builder, .buffers = buffers, .done = launcher.in_flight().done()};
  }

  std::shared_ptr<backend::Device> device;
  CallState call;
  BufferTable buffers;
  ProgramTable programs;
  DispatchCheck check;
  BatchBuilder builder;
  PreparedWork prepared;
  HostTransfers transfers;
  Chooser chooser;
  Launcher launcher;
  Stopwatch stopwatch;
  RunRecorder recorder;
};

}  // namespace vyre::runtime
