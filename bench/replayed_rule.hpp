#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/choice/way.hpp>
#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/learned.hpp>

#include "bench/must.hpp"

namespace vyre::bench {

/// The choice of launch modes as sessions use it, for batches of one shape, without a device.
///
/// Only this file calls the choice: to see the rule of another commit on the same recordings, it is all that may need a
/// change there.
class ReplayedRule {
 public:
  struct Asked {
    choice::Way way = choice::Way::Batched;
    bool is_trial = false;
  };

  ReplayedRule(const choice::Calibration& calibration, const choice::BatchShape& shape, double exploration)
      : learned_{std::make_unique<runtime::Learned>()}, shape_{shape.key}, exploration_{exploration} {
    must(learned_->set(calibration));
    learned_->learn(shape);
  }

  /// `came` says how often exactly this batch came before, and `unasked` how many batches since the last question.
  [[nodiscard]] Asked choose(std::uint32_t came, const std::array<bool, choice::kWays>& is_set_up,
                             std::span<const choice::ProgramForms> forms, bool may_try, std::uint32_t unasked) {
    const runtime::Learned::Question question{
        .shape = shape_,
        .forms = forms,
        .moment = {.seen = {.of_batch = came}, .is_set_up = is_set_up, .may_try = may_try, .exploration = exploration_},
        .unasked = unasked};
    if (!learned_->choose(question, chosen_)) must<void>(fail(ErrorCode::Internal, "the shape is not known"));
    return {.way = chosen_.choice.way, .is_trial = chosen_.choice.is_trial};
  }
  /// Batches that were awaited together took `ns`; `batches` counts them by `Way`.
  void observe(const std::array<std::uint32_t, choice::kWays>& batches, double ns) {
    used_.clear();
    for (const choice::Way way : choice::kAllWays) {
      const std::uint32_t count = batches[static_cast<std::size_t>(way)];
      if (count > 0) used_.push_back({.shape = shape_, .way = way, .batches = count});
    }
    learned_->observe(used_, ns, true);
  }
  void note_setup(double ns) { learned_->note_setup(shape_, ns); }
  void note_planning(double ns, std::size_t operations) { learned_->note_planning(ns, operations); }
  [[nodiscard]] std::optional<report::ShapeReport> report() const { return learned_->report(shape_); }

 private:
  std::unique_ptr<runtime::Learned> learned_;
  runtime::TunedChoice chosen_ = {};
  std::vector<choice::UsedWay> used_;  // Room.
  std::uint64_t shape_;
  double exploration_;
};

}  // namespace vyre::bench
