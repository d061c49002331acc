#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/runtime/batch_planner.hpp>
#include <vyre/runtime/decision.hpp>
#include <vyre/runtime/device_timer.hpp>
#include <vyre/runtime/group_timer.hpp>
#include <vyre/runtime/in_flight.hpp>
#include <vyre/runtime/recording_cache.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::runtime {

/// The outcome of a launch.
struct Launched {
  enum class How : std::uint8_t { Plain, Batched, Replayed };

  How how = How::Batched;
  plan::PlanCounts counts = {};
  bool is_planned = false;                        ///< Whether the batch was planned and lowered.
  std::uint32_t replays = 0;                      ///< Submissions that replay a recording.
  bool has_recorded = false;                      ///< Whether a list was kept.
  bool has_compiled = false;                      ///< Whether a pipeline was compiled, which waits for the device.
  std::uint64_t setup_ns = 0;                     ///< The time of compiling and recording.
  std::optional<std::uint64_t> planning_ns = {};  ///< The time of planning and lowering, if it was measured.
  std::span<const ProgramLaunch> programs = {};   ///< The programs of the batch; valid until the next launch.
};

/// Submits batches in the launch mode that was decided, and knows which batches are pending.
///
/// A batch with a recording is replayed without a plan. Any other batch is planned, lowered into one list for each arm,
/// and submitted or recorded. The launcher knows nothing of samples and reports. Thread safety: one thread at a time;
/// the device outlives this.
class Launcher {
 public:
  /// `rule`: D2's answers, by which batches are planned.
  Launcher(backend::Device& device, const SessionOptions& options, const plan::WaitRule& rule = plan::WaitRule::ask());
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher();

  struct Order {
    const plan::Batch& batch;
    std::uint64_t number = 0;      ///< The number by which the batch is awaited; numbers grow.
    bool is_captured = false;      ///< Whether it is a capture as captured, whose recording no bound limits.
    bool is_first_launch = false;  ///< Whether it is the first launch of one of its programs.
  };
  /// `Unsupported` if a program does not have the form that was decided for it, and the device's errors. Operations of
  /// the batch may be pending after a failure; `in_flight().last()` tells.
  [[nodiscard]] Result<Launched> launch(const Order& order, const Decision& decision, ProgramTable& programs);

  [[nodiscard]] BatchPlanner& planner() noexcept { return planner_; }
  [[nodiscard]] RecordingCache& recordings() noexcept { return recordings_; }
  [[nodiscard]] InFlight& in_flight() noexcept { return in_flight_; }
  [[nodiscard]] const InFlight& in_flight() const noexcept { return in_flight_; }
  /// Gives the device time of completed submissions.
  [[nodiscard]] DeviceTimer& timer() noexcept { return timer_; }
  /// Gives the times of the groups of a list that was timed.
  [[nodiscard]] GroupTimer& group_timer() noexcept { return group_timer_; }
  [[nodiscard]] std::size_t max_arms() const noexcept { return max_arms_; }
  [[nodiscard]] std::chrono::nanoseconds watchdog() const noexcept { return watchdog_; }

 private:
  [[nodiscard]] Result<Launched> launch_plain(const Order& order, const Decision& decision);
  [[nodiscard]] Result<Launched> launch_lists(const Order& order, const Decision& decision, ProgramTable& programs,
                                              Launched launched);
  [[nodiscard]] Result<Launched> launch_table(const Order& order, const Decision& decision, ProgramTable& programs,
                                              Launched launched);
  [[nodiscard]] Result<Launched> replay(const Order& order, const Decision& decision, const KeptBatch& kept,
                                        Launched launched);
  /// The same as `submit_arms`, with the leading and trailing transfers of the batch: in the submission of an only arm,
  /// and otherwise in submissions before and after those of all arms.
  template <typename Submit>
  [[nodiscard]] Result<void> submit_with_transfers(const Order& order, const Decision& decision, std::size_t arms,
                                                   const TimerPlaces& places, Submit submit);
  /// Appends transfers to a list, with barriers where they conflict. Gives the number of waves.
  std::uint32_t lower_transfers(const backend::CommandList& transfers, backend::CommandList& lowered);
  /// Calls `submit(arm, options)` for every arm, each on its queue.
  template <typename Submit>
  [[nodiscard]] Result<void> submit_arms(const Order& order, const Decision& decision, std::size_t arms,
                                         const TimerPlaces& places, Submit submit);
  /// Launches a batch as one list in which every group is alone between timestamps.
  [[nodiscard]] Result<Launched> launch_timed(const Order& order, const Decision& decision, ProgramTable& programs,
                                              Launched launched);
  /// Appends an arm whose groups are timed.
  template <typename Choose>
  void lower_timed(const plan::Plan& plan, const plan::Arm& arm, const Order& order, const Decision& decision,
                   const ProgramTable& programs, backend::CommandList& lowered, Choose choose);
  /// Compiles the forms that were decided for.
  [[nodiscard]] Result<void> compile_forms(const Decision& decision, ProgramTable& programs, Launched& launched);
  /// Makes the lists of a plan, one for each arm, in `lowered_`.
  [[nodiscard]] Result<void> lower(const Order& order, const Decision& decision, const BatchPlan& planned,
                                   ProgramTable& programs, TimerPlaces& places, Launched& launched);
  /// Tries to lower. Gives a program whose pipeline as written is needed and not compiled yet; nothing if there is
  /// none.
  [[nodiscard]] std::optional<std::uint32_t> try_lower(const Order& order, const Decision& decision,
                                                       const BatchPlan& planned, const ProgramTable& programs,
                                                       TimerPlaces& places);
  /// Records the lists of a batch and keeps the recordings; `list` is compared to find them again.
  [[nodiscard]] Result<KeptBatch*> keep(const Order& order, const Decision& decision, std::uint64_t hash,
                                        const backend::CommandList& list, TimerPlaces places, Launched& launched);
  [[nodiscard]] ProgramLaunch& launch_of(std::uint32_t program, program::FormKind form);
  [[nodiscard]] DeviceTimer::Place take_place() { return is_timed_ ? timer_.take(*device_) : DeviceTimer::Place{}; }

  backend::Device* device_;
  std::size_t max_arms_;
  std::chrono::nanoseconds watchdog_;
  bool is_timed_;
  GroupTimer group_timer_;
  DeviceTimer timer_;  // Outlives the members that hold places of it.
  BatchPlanner planner_;
  RecordingCache recordings_;
  InFlight in_flight_;
  plan::Planner transfer_planner_;
  std::vector<backend::CommandList> lowered_;  // By arm; never empty.
  backend::CommandList leading_;
  backend::CommandList trailing_;
  backend::CommandList single_;
  std::vector<ProgramLaunch> programs_;  // What the last launch did with each program.
};

}  // namespace vyre::runtime
