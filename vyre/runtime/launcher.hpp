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
#include <vyre/runtime/in_flight.hpp>
#include <vyre/runtime/recording_cache.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::runtime {

/// What a launch did.
struct Launched {
  enum class How : std::uint8_t { Plain, Batched, Replayed };

  How how = How::Batched;
  plan::PlanCounts counts = {};
  bool is_planned = false;                        ///< Whether lists were made of a plan.
  std::uint32_t replays = 0;                      ///< Submissions that replay a recording.
  bool has_recorded = false;                      ///< Whether a list was kept.
  bool has_compiled = false;                      ///< Whether a pipeline was, which waits for the device.
  std::uint64_t setup_ns = 0;                     ///< The time of compiling and recording.
  std::optional<std::uint64_t> planning_ns = {};  ///< The time of planning and lowering, if it was taken.
  std::span<const ProgramLaunch> programs = {};   ///< Until the next launch: those that the batch has.
};

/// Submits batches as it was decided, and knows which of them are pending.
///
/// A batch that is kept is replayed without a plan. Everything else is planned, lowered into one list for each arm, and
/// submitted or recorded. Knows nothing of samples or reports. Thread safety: one thread at a time; the device outlives
/// this.
class Launcher {
 public:
  Launcher(backend::Device& device, const SessionOptions& options);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher();

  struct Order {
    const plan::Batch& batch;
    std::uint64_t number = 0;      ///< By which it is awaited; numbers grow.
    bool is_captured = false;      ///< As it was captured: a list that is kept for it counts to no bound.
    bool is_first_launch = false;  ///< Of one of its programs.
  };
  /// `Unsupported` if a program does not have the form that was decided for it, and the device's errors. Operations of
  /// the batch may be pending after a failure; `in_flight().last()` tells.
  [[nodiscard]] Result<Launched> launch(const Order& order, const Decision& decision, ProgramTable& programs);

  [[nodiscard]] BatchPlanner& planner() noexcept { return planner_; }
  [[nodiscard]] RecordingCache& recordings() noexcept { return recordings_; }
  [[nodiscard]] InFlight& in_flight() noexcept { return in_flight_; }
  [[nodiscard]] const InFlight& in_flight() const noexcept { return in_flight_; }
  /// Times what has completed, see `DeviceTimer`.
  [[nodiscard]] DeviceTimer& timer() noexcept { return timer_; }
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
  /// Calls `submit(arm, options)` for every arm, each on its queue.
  template <typename Submit>
  [[nodiscard]] Result<void> submit_arms(const Order& order, const Decision& decision, std::size_t arms,
                                         const TimerPlaces& places, Submit submit);
  /// Compiles the forms that were decided for.
  [[nodiscard]] Result<void> compile_forms(const Decision& decision, ProgramTable& programs, Launched& launched);
  /// Makes the lists of a plan, one for each arm, in `lowered_`.
  [[nodiscard]] Result<void> lower(const Order& order, const Decision& decision, const BatchPlan& planned,
                                   ProgramTable& programs, TimerPlaces& places, Launched& launched);
  /// The same once. Gives a program for which a pipeline as written is needed and missing.
  [[nodiscard]] std::optional<std::uint32_t> try_lower(const Order& order, const Decision& decision,
                                                       const BatchPlan& planned, const ProgramTable& programs,
                                                       TimerPlaces& places);
  /// Keeps a batch as the lists that were made of it; `list` is what finds it again.
  [[nodiscard]] Result<KeptBatch*> keep(const Order& order, const Decision& decision, std::uint64_t hash,
                                        const backend::CommandList& list, TimerPlaces places, Launched& launched);
  [[nodiscard]] ProgramLaunch& launch_of(std::uint32_t program, program::FormKind form);
  [[nodiscard]] DeviceTimer::Place take_place() { return is_timed_ ? timer_.take(*device_) : DeviceTimer::Place{}; }

  backend::Device* device_;
  std::size_t max_arms_;
  std::chrono::nanoseconds watchdog_;
  bool is_timed_;
  DeviceTimer timer_;  // Before what has places of it.
  BatchPlanner planner_;
  RecordingCache recordings_;
  InFlight in_flight_;
  std::vector<backend::CommandList> lowered_;  // By arm; never empty.
  backend::CommandList single_;
  std::vector<ProgramLaunch> programs_;  // Of the last launch.
};

}  // namespace vyre::runtime
