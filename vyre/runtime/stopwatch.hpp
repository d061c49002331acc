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

  std::span<const UsedWay> used = {};  ///< Valid until the stopwatch is used again.
  double ns = 0;
  /// Whether the session was at work or waiting for most of the time, and launched nothing else: then the time beyond
  /// the launches is the kernels'.
  bool is_undisturbed = false;

  [[nodiscard]] double batches() const noexcept;
};

/// Measures the time of batches: from the launch of the first one on an idle device to the end of the wait for the last
/// one.
///
/// The time in which every launched batch had completed does not count, nor does setup, such as compiling. A wait ends
/// a measurement; so do 64 batches that nobody waits for. A pure value: the caller says what time it is.
class Stopwatch {
 public:
  /// Notes that a batch is launched now.
  void launch(std::uint64_t now_ns) noexcept;
  /// Notes that a batch has completed. `used` is nothing for a batch whose launch mode the tuner did not choose. The
  /// first launch of a program spoils the measurement, because drivers compile during it.
  void complete(const std::optional<UsedWay>& used, bool is_first_launch);
  /// Ends the lap, now that every launched batch has completed (`has_pending` is false) or somebody looked.
  /// `is_waited`: the caller waited for the batches, which ends the measurement. Gives the time since the last launch
  /// on an idle device, and the measurement if one ended that is worth something.
  struct Lap {
    std::uint64_t ns = 0;
    std::optional<TimedBatches> timed = {};
  };
  [[nodiscard]] Lap stop(std::uint64_t now_ns, bool is_waited, bool has_pending);

  /// Leaves time out of the measurement: setup, or asking for a decision.
  void exclude(std::uint64_t ns) noexcept { setup_ns_ += ns; }
  /// Leaves time, in which nothing was pending, out of the current lap.
  void skip(std::uint64_t ns) noexcept {
    if (begin_ns_) *begin_ns_ += ns;
  }
  /// Notes time in which the session was at work or waiting.
  void work(std::uint64_t ns) noexcept { busy_ns_ += ns; }
  /// Spoils the current measurement: it will give no sample.
  void spoil() noexcept { is_spoilt_ = true; }
  /// Drops the current measurement, as if nothing had been launched.
  void reset() noexcept;

  /// Whether nothing was launched since the last measurement ended but the batch at hand. Batches that were pending
  /// then count to the new measurement: of a program that never waits for all of its batches, each measurement goes
  /// from one completion to the next.
  [[nodiscard]] bool is_new() const noexcept { return launches_ <= 1; }
  /// Whether 64 batches have completed, which ends a measurement without a wait.
  [[nodiscard]] bool is_long() const noexcept;

 private:
  std::optional<std::uint64_t> begin_ns_;  // Of the lap at hand; nothing while every launched batch is complete.
  std::uint64_t elapsed_ns_ = 0;           // The time of the laps before.
  std::uint64_t setup_ns_ = 0;
  std::uint64_t busy_ns_ = 0;
  std::vector<UsedWay> used_;
  std::vector<UsedWay> reported_;  // What the last measurement gave.
  bool has_others_ = false;        // Whether batches completed whose launch mode nobody chose.
  bool is_spoilt_ = false;
  std::uint32_t launches_ = 0;  // Of the measurement at hand.
};

}  // namespace vyre::runtime
