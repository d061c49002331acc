#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/choice/forecast.hpp>
#include <vyre/choice/history.hpp>
#include <vyre/choice/kernel_times.hpp>
#include <vyre/choice/way.hpp>
#include <vyre/report/choice_report.hpp>

namespace vyre::runtime {

using choice::UsedWay;

/// What was decided for a batch.
struct TunedChoice {
  choice::Choice choice = {};
  choice::Way proposed = choice::Way::Batched;  ///< By the policies.
  /// By kind of group, whether it runs in the form of the way.
  std::vector<bool> uses_form = {};
  /// For so many more batches it holds, unless one takes much longer than expected.
  std::uint32_t holds_for = 0;
  double per_wait = 1;  ///< It is for so many batches, about, that are launched for one wait.
};

/// What was learned of a device: its calibration, what kernels take, and what was seen of each shape of batch.
///
/// Bounded: shapes that were not used for longest are forgotten. Thread safety: all members may be called concurrently;
/// sessions on one device share one.
class Tuner {
 public:
  static constexpr std::size_t kMaxShapes = 512;
  /// More often than this is as good as for ever.
  static constexpr std::uint32_t kMostSeen = 1U << 20;

  /// The one of a device; made with the first call and gone with the device.
  [[nodiscard]] static std::shared_ptr<Tuner> of(backend::Device& device);

  /// Measures the device unless that was done. Whoever comes meanwhile waits.
  [[nodiscard]] Result<void> calibrate(backend::Device& device, std::chrono::nanoseconds timeout);
  /// Takes what is known already. `InvalidArgument`, naming the first time or ratio that is not finite.
  [[nodiscard]] Result<void> set(const choice::Calibration& calibration);
  [[nodiscard]] std::optional<choice::Calibration> calibration() const;
  [[nodiscard]] bool is_calibrated() const noexcept { return is_calibrated_; }
  /// What sessions have spent on the device until it was calibrated.
  [[nodiscard]] std::uint64_t spent_ns() const noexcept { return spent_ns_; }
  void note_spent(std::uint64_t ns) noexcept { spent_ns_ += ns; }

  /// Makes a shape known, if it is not.
  void learn(const choice::BatchShape& shape);

  /// Chooses for a batch, `unasked` others of its shape after the last time: asks the policies, weighs what was
  /// observed, and may try another way. Gives false, and nothing, if the shape is not known or there is no calibration.
  /// `forms` by kind; how often the shape came is known here; `record` is called with the policies' audit events.
  template <typename Recorder>
  [[nodiscard]] bool choose(std::uint64_t shape, std::span<const choice::ProgramForms> forms, choice::Moment moment,
                            std::uint32_t unasked, TunedChoice& chosen, Recorder record);

  /// Notes what batches took that were launched and awaited together. `is_undisturbed`: the host did next to nothing
  /// else meanwhile, so that what is above the launches is the kernels'.
  void observe(std::span<const UsedWay> used, double elapsed_ns, bool is_undisturbed);
  /// The same of some time ago. Nothing, if batches of the shape are awaited otherwise by now.
  void observe_late(const UsedWay& used, double elapsed_ns, bool is_undisturbed);
  /// Notes what a shape spent once, on compiling or recording.
  void note_setup(std::uint64_t shape, double ns);
  /// Notes what planning a batch took.
  void note_planning(double ns, std::size_t operations);

  /// The shapes that are known, those used last first, and what is known of one. Programs have no names here.
  [[nodiscard]] std::vector<std::uint64_t> shapes() const;
  [[nodiscard]] std::optional<report::ShapeReport> report(std::uint64_t shape) const;
  [[nodiscard]] report::PredictionErrors errors() const;
  /// Whether nothing is left to try for a shape, for batches like the last of it.
  [[nodiscard]] bool is_settled(std::uint64_t shape) const;

 private:
  struct Entry {
    choice::BatchShape shape = {};
    choice::ShapeHistory history = {};
    choice::Forecast forecast = {};
    std::vector<choice::ProgramForms> forms = {};   // Of the forecast.
    choice::Moment moment = {};                     // The last one.
    bool is_stale = true;                           // Whether the forecast would be another one by now.
    std::uint64_t refreshed_at = 0;                 // The batch for which it was made.
    std::vector<policy::DispatchFacts> facts = {};  // By kind, from the forecast,
    choice::Appearances facts_for = {};             // for about as many times.
    std::optional<choice::Way> last = {};
    double predicted_ns = 0;  // Of what was chosen last,
    double baseline_ns = 0;   // and of a list made anew, both as they were expected to be.
    double per_wait = 1;      // Batches for one wait, as usual.
    std::uint32_t unusual_waits = 0;
    std::array<double, 2> pace = {1, 1};  // As in the habits.
    choice::Habits habits = {};           // Of the forecast.
    std::list<std::uint64_t>::iterator used = {};
  };

  void refresh(Entry& entry, std::span<const choice::ProgramForms> forms, choice::Appearances seen);
  void choose_locked(Entry& entry, const choice::Moment& moment, TunedChoice& chosen);
  void observe_one(Entry& entry, const UsedWay& used, double ns, bool is_undisturbed);
  void learn_kernels(Entry& entry, choice::Way way, double ns);
  [[nodiscard]] double expected(const UsedWay& used) const;
  void touch(Entry& entry);

  mutable std::mutex mutex_;
  std::mutex calibrating_;
  std::optional<choice::Calibration> calibration_;
  std::atomic<bool> is_calibrated_ = false;
  std::atomic<std::uint64_t> spent_ns_ = 0;
  choice::KernelTimes kernels_;
  double plan_ns_ = 0;                   // Per operation, on average.
  std::array<double, 2> pace_ = {1, 1};  // Of all shapes.
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::list<std::uint64_t> order_;  // Used last first.
  // How often the error of a predicted saving, relative to the measured one, was within a factor; see `bucket_of`.
  std::array<std::uint64_t, 64> errors_ = {};
  std::uint64_t error_count_ = 0;
  mutable report::PredictionErrors summary_ = {};  // Of the errors, as it was with about as many.
};

template <typename Recorder>
bool Tuner::choose(std::uint64_t shape, std::span<const choice::ProgramForms> forms, choice::Moment moment,
                   std::uint32_t unasked, TunedChoice& chosen, Recorder record) {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(shape);
  if (found == entries_.end() || !calibration_) return false;
  Entry& entry = found->second;
  touch(entry);
  entry.history.skip(unasked);
  moment.seen.of_shape = static_cast<std::uint32_t>(std::min<std::uint64_t>(entry.history.batches(), kMostSeen));
  moment.per_wait = entry.per_wait;
  refresh(entry, forms, moment.seen);
  moment.proposed =
      choice::propose(entry.forecast, entry.facts, choice::bindless_threshold(*calibration_), moment.seen, record);
  choose_locked(entry, moment, chosen);
  return true;
}

}  // namespace vyre::runtime
