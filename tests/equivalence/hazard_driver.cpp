#include "tests/equivalence/hazard_driver.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "tests/support/forwarding_driver.hpp"

namespace vyre::tests {
namespace {

using backend::ListView;
using backend::Ticket;

struct Use {
  backend::BufferHandle buffer = {};
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool writes = false;
};

/// A command as what it does to bytes.
struct Effect {
  std::size_t index = 0;  ///< In the list.
  std::string name = {};
  std::vector<Use> uses = {};
};

class Reader {
 public:
  explicit Reader(const ListView& view) noexcept : view_{view} {}

  [[nodiscard]] Effect operator()(const backend::Dispatch& dispatch) const {
    const backend::PipelineEntry& pipeline = view_.pipelines.at(dispatch.pipeline);
    Effect effect{.name = pipeline.program.name()};
    const std::span<const backend::BufferRange> ranges = view_.list.ranges(dispatch);
    if (std::ranges::find(dispatch.groups, 0U) != dispatch.groups.end()) return effect;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (backend::is_left_out(ranges[i])) continue;
      program::Access access = program::Access::None;
      for (const program::Binding& binding : pipeline.program.interface().bindings) {
        if (binding.set == pipeline.rules[i].set && binding.slot == pipeline.rules[i].slot)
          access = access | binding.access;
      }
      if (access == program::Access::None) continue;
      effect.uses.push_back({.buffer = ranges[i].buffer,
                             .begin = ranges[i].offset,
                             .end = ranges[i].offset + view_.size(ranges[i]),
                             .writes = (access & program::Access::Write) != program::Access::None});
    }
    return effect;
  }
  [[nodiscard]] Effect operator()(const backend::IndirectDispatch& /*dispatch*/) const { return {}; }
  [[nodiscard]] Effect operator()(const backend::Copy& copy) const {
    return {.name = "copy",
            .uses = {{.buffer = copy.from, .begin = copy.from_offset, .end = copy.from_offset + copy.size},
                     {.buffer = copy.to, .begin = copy.to_offset, .end = copy.to_offset + copy.size, .writes = true}}};
  }
  [[nodiscard]] Effect operator()(const backend::Fill& fill) const {
    return {.name = "fill",
            .uses = {{.buffer = fill.range.buffer,
                      .begin = fill.range.offset,
                      .end = fill.range.offset + view_.size(fill.range),
                      .writes = true}}};
  }
  [[nodiscard]] Effect operator()(const backend::Timestamp& timestamp) const {
    return {
        .name = "timestamp",
        .uses = {{.buffer = timestamp.buffer, .begin = timestamp.offset, .end = timestamp.offset + 8, .writes = true}}};
  }
  [[nodiscard]] Effect operator()(const backend::Barrier& /*barrier*/) const { return {}; }

 private:
  const ListView& view_;
};

bool conflict(const Effect& a, const Effect& b) {
  return std::ranges::any_of(a.uses, [&](const Use& first) {
    return std::ranges::any_of(b.uses, [&](const Use& second) {
      return (first.writes || second.writes) && first.buffer == second.buffer && first.begin < second.end &&
             second.begin < first.end;
    });
  });
}

class HazardDriver final : public ForwardingDriver {
 public:
  HazardDriver(std::unique_ptr<DeviceDriver> driver, std::shared_ptr<HazardReport> report) noexcept
      : ForwardingDriver{std::move(driver)}, report_{std::move(report)} {}

  [[nodiscard]] Result<backend::RecordingPtr> record(const ListView& given, backend::Reuse reuse) override {
    // Dispatches of forms name their buffers only in the list that was asked for.
    const ListView view{.list = given.asked == nullptr ? given.list : *given.asked,
                        .buffers = given.buffers,
                        .pipelines = given.pipelines};
    look_at(view);
    Result<backend::RecordingPtr> recording = inner().record(given, reuse);
    if (recording) {
      Effect& all = recordings_[recording->get()];
      all = {.name = fmt::format("list {}", report_->lists)};
      for (const backend::Command& command : view.list.commands()) {
        const Effect effect = std::visit(Reader{view}, command);
        all.uses.insert(all.uses.end(), effect.uses.begin(), effect.uses.end());
      }
    }
    return recording;
  }
  [[nodiscard]] Result<void> launch(std::span<backend::DriverRecording* const> recordings, Ticket ticket,
                                    std::span<const Ticket> after) override {
    if (ticket.queue != 0) ++report_->launches_elsewhere;
    Effect together = recordings_.at(recordings.front());
    for (const backend::DriverRecording* each : recordings.subspan(1)) {
      const std::vector<Use>& more = recordings_.at(each).uses;
      together.uses.insert(together.uses.end(), more.begin(), more.end());
    }
    look_across(together, ticket, after);
    return inner().launch(recordings, ticket, after);
  }

 private:
  void look_at(const ListView& view) {
    ++report_->lists;
    std::vector<Effect> before;  // Between the last barrier and the one before it.
    std::vector<Effect> now;     // Since the last barrier.
    bool is_first = true;
    const auto end_wave = [&] {
      look_within(now);
      if (!is_first && !conflict_across(before, now)) ++report_->needless;
      is_first = false;
      before = std::exchange(now, {});
    };
    const std::span<const backend::Command> commands = view.list.commands();
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (std::holds_alternative<backend::Barrier>(commands[i])) {
        ++report_->barriers;
        end_wave();
        continue;
      }
      ++report_->commands;
      Effect effect = std::visit(Reader{view}, commands[i]);
      effect.index = i;
      now.push_back(std::move(effect));
    }
    end_wave();
  }

  void look_within(std::span<const Effect> wave) {
    for (std::size_t i = 0; i < wave.size(); ++i) {
      for (std::size_t k = i + 1; k < wave.size(); ++k) {
        if (!conflict(wave[i], wave[k])) continue;
        constexpr std::size_t kKept = 5;
        ++report_->unordered_count;
        if (report_->unordered.size() == kKept) continue;
        report_->unordered.push_back(fmt::format("commands {}, {}, and {}, {}, of list {}", wave[i].index, wave[i].name,
                                                 wave[k].index, wave[k].name, report_->lists));
      }
    }
  }

  static bool conflict_across(std::span<const Effect> before, std::span<const Effect> after) {
    return std::ranges::any_of(before, [&](const Effect& first) {
      return std::ranges::any_of(after, [&](const Effect& second) { return conflict(first, second); });
    });
  }

  /// What was launched, and how far every queue is when it begins: what it waited for, and what that waited for.
  struct Launch {
    Ticket ticket = {};
    Effect effect = {};
    std::map<std::uint32_t, std::uint64_t> reached = {};
  };

  void look_across(const Effect& effect, Ticket ticket, std::span<const Ticket> after) {
    Launch launch{.ticket = ticket, .effect = effect};
    const auto wait_for = [&](Ticket waited) {
      launch.reached[waited.queue] = std::max(launch.reached[waited.queue], waited.value);
      for (const Launch& each : launches_) {
        if (each.ticket != waited) continue;
        for (const auto& [queue, value] : each.reached) launch.reached[queue] = std::max(launch.reached[queue], value);
      }
    };
    if (ticket.value > 1) wait_for({.queue = ticket.queue, .value = ticket.value - 1});
    for (const Ticket waited : after) wait_for(waited);
    for (const Launch& each : launches_) {
      const bool is_ordered =
          each.ticket.queue == ticket.queue || launch.reached[each.ticket.queue] >= each.ticket.value;
      if (is_ordered || !conflict(each.effect, effect)) continue;
      ++report_->unordered_count;
      report_->unordered.push_back(fmt::format("{} on queue {} and {} on queue {}", each.effect.name, each.ticket.queue,
                                               effect.name, ticket.queue));
    }
    launches_.push_back(std::move(launch));
  }

  std::shared_ptr<HazardReport> report_;
  std::map<const backend::DriverRecording*, Effect> recordings_;
  std::vector<Launch> launches_;
};

}  // namespace

std::unique_ptr<backend::DeviceDriver> make_hazard_driver(std::unique_ptr<backend::DeviceDriver> inner,
                                                          std::shared_ptr<HazardReport> report) {
  return std::make_unique<HazardDriver>(std::move(inner), std::move(report));
}

}  // namespace vyre::tests
