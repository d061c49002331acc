#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/choice/way.hpp>

namespace vyre::runtime {

using choice::UsedWay;

/// The time of batches that were awaited together.
struct TimedBatches {
  /// The time of batches of one shape in one launch mode.
  struct Sample {
    UsedWay used = {};
    double ns = 0;
    bool is_undisturbed = false;
  };

  std::span<const UsedWay> used = {};  ///< The shapes and launch modes. Valid until the stopwatch is used again.
  double ns = 0;
  /// Whether the time shows how long the kernels took: the session was at work or waiting for most of it, and launched
  /// nothing but these batches.
  bool is_undisturbed = false;

  [[nodiscard]] double batches() const noexcept;
};

/// Measures the time of batches: from the launch of the first one on an idle device to the end of the wait for the last
/// one.
///
/// A measurement consists of *laps*. A lap begins when a batch is launched on an idle device, and ends with `stop`. The
/// time between laps, in which the device has nothing to do, does not count; nor does setup, such as compiling. A wait
/// ends a measurement, and so do 64 batches without a wait. The stopwatch has no clock: its caller gives it the time.
class Stopwatch {
 public:
  /// Notes that a batch is launched now.
  void launch(std::uint64_t now_ns) noexcept;
  /// Notes that a batch has completed. `used`: its shape and launch mode, nothing if the tuner did not choose it. If it
  /// has the first launch of a program, the measurement is spoilt, because drivers compile then.
  void complete(const std::optional<UsedWay>& used, bool is_first_launch);
  /// Ends the lap. `has_pending`: whether launched batches are still pending; the next lap then begins at once.
  /// `is_waited`: whether the caller waited for the batches, which ends the measurement. Gives the time of the lap, and
  /// the result if a measurement ended that is not spoilt.
  struct Lap {
    std::uint64_t ns = 0;
    std::optional<TimedBatches> timed = {};
  };
  [[nodiscard]] Lap stop(std::uint64_t now_ns, bool is_waited, bool has_pending);

  /// Subtracts time from the measurement: the time of setup, or of asking for a decision.
  void exclude(std::uint64_t ns) noexcept { setup_ns_ += ns; }
  /// Subtracts time in which nothing was pending from the current lap.
  void skip(std::uint64_t ns) noexcept {
    if (begin_ns_) *begin_ns_ += ns;
  }
  /// Notes that the session was at work or waiting for this time.
  void work(std::uint64_t ns) noexcept { busy_ns_ += ns; }
  /// Notes that a batch is still pending now.
  void see_pending(std::uint64_t now_ns) noexcept { pending_at_ns_ = now_ns; }
  /// Whether a batch was pending so shortly before now that a completion which is noticed now is as good as awaited: at
  /// most a sixteenth of the current lap.
  [[nodiscard]] bool has_just_seen_pending(std::uint64_t now_ns) const noexcept;
  /// Spoils the current measurement: it will give no sample.
  void spoil() noexcept { is_spoilt_ = true; }
  /// Drops the current measurement, as if nothing had been launched.
  void reset() noexcept;

  /// Whether the current batch is the only one launched since the last measurement ended. Batches that were pending at
  /// that moment belong to the new measurement: if a program never waits for all of its batches, each measurement goes
  /// from one completion to the next.
  [[nodiscard]] bool is_new() const noexcept { return launches_ <= 1; }
  /// Whether 64 batches have completed, so that the next `stop` ends the measurement without a wait.
  [[nodiscard]] bool is_long() const noexcept;

 private:
  std::optional<std::uint64_t> begin_ns_;  // The begin of the current lap; nothing between laps.
  std::uint64_t pending_at_ns_ = 0;        // When a batch was last seen pending.
  std::uint64_t elapsed_ns_ = 0;           // The time of the measurement's earlier laps.
  std::uint64_t setup_ns_ = 0;
  std::uint64_t busy_ns_ = 0;
  std::vector<UsedWay> used_;
  std::vector<UsedWay> reported_;  // `used_` of the last measurement, to which its result refers.
  bool has_others_ = false;        // Whether batches completed whose launch mode the tuner did not choose.
  bool is_spoilt_ = false;
  std::uint32_t launches_ = 0;  // The number of launches in the current measurement.
};

}  // namespace vyre::runtime
