#include <vyre/runtime/run_recorder.hpp>

#include <algorithm>
#include <utility>

namespace vyre::runtime {
namespace {

/// The most shapes that the report of a run lists.
constexpr std::size_t kMostReported = 256;

}  // namespace

RunRecorder::RunRecorder(std::string device) { report_.device = std::move(device); }

void RunRecorder::add(const plan::Batch& batch, const Decision& decision, const Launched& launched,
                      const ProgramTable& programs, bool is_captured) {
  if (launched.is_planned && launched.counts.largest_wave > 1) {
    record({.substrate = policy::Substrate::ArmIndependence,
            .action = policy::Action::RunConcurrently,
            .detail = policy::Detail::DisjointSlots});
  }
  log_.record(decision.events);
  // If the tuner chose the launch mode, the policies' events have this already.
  if (launched.has_recorded && !decision.used && !is_captured) {
    record({.substrate = policy::Substrate::CommandReuse,
            .action = policy::Action::RecordAndReplay,
            .detail = policy::Detail::RepeatShape});
  }
  ++report_.batches;
  report_.copies += batch.copies;
  report_.fills += batch.fills;
  report_.replays += launched.replays;
  report_.recordings += launched.has_recorded ? 1U : 0U;
  report_.waves += launched.counts.waves;
  report_.barriers += launched.counts.barriers;
  report_.barriers_avoided += launched.counts.barriers_avoided;
  add_programs(batch, decision, launched, programs);
  if (!decision.used || shapes_.size() >= kMostReported) return;
  const std::uint64_t shape = decision.used->shape;
  if (std::ranges::find(shapes_, shape) == shapes_.end()) shapes_.push_back(shape);
}

void RunRecorder::add_programs(const plan::Batch& batch, const Decision& decision, const Launched& launched,
                               const ProgramTable& programs) {
  auto launch = launched.programs.begin();
  batch.for_each_program([&](std::uint32_t number, std::uint64_t dispatches) {
    const CompiledProgram& program = programs[number];
    report::ProgramReport& each = report_of(number, program);
    each.dispatches += dispatches;
    report_.dispatches += dispatches;
    switch (launched.how) {
      case Launched::How::Plain: each.plain += dispatches; break;
      case Launched::How::Batched: each.batched += dispatches; break;
      case Launched::How::Replayed: each.replayed += dispatches; break;
    }
    if (each.reason != decision.reason) each.reason = decision.reason;
    while (launch != launched.programs.end() && launch->program < number) ++launch;
    const bool is_known = launch != launched.programs.end() && launch->program == number;
    each.form = is_known ? launch->form : program.form;
    if (is_known && launch->has_cut) {
      each.form_refused = "some views end within an element of an array, and their dispatches run as written";
    } else if (is_known && launch->has_too_long) {
      each.form_refused = "some dispatches are longer than a workgroup of it may be, and run as written";
    } else if (each.form_refused.empty()) {
      each.form_refused = program.form_refused;
    }
  });
}

report::ProgramReport& RunRecorder::report_of(std::uint32_t number, const CompiledProgram& program) {
  if (number >= entries_.size()) entries_.resize(std::size_t{number} + 1);
  Entry& entry = entries_[number];
  if (!entry.place || entry.program != program.id) {
    entry = {.program = program.id, .place = report_.programs.size()};
    report_.programs.push_back({.program = program.program.name(), .in_place = program.in_place});
  }
  return report_.programs[*entry.place];
}

void RunRecorder::add_device_time(const DeviceTimer::Time& time) noexcept {
  report_.device_ns += time.ns;
  report_.timed_submissions += time.launches;
}

void RunRecorder::add_calibration(std::uint64_t ns) noexcept {
  report_.calibration_ns += ns;
  if (begin_ns_) *begin_ns_ += ns;
}

void RunRecorder::add_overlapped(std::uint64_t bytes) {
  report_.bytes_overlapped += bytes;
  record({.substrate = policy::Substrate::CopyOverlap,
          .action = policy::Action::OverlapCopy,
          .detail = policy::Detail::UntouchedSlot});
}

RunReport RunRecorder::finish(std::uint64_t now_ns, const InFlight::Counts& counts, Chooser& chooser,
                              const ProgramTable& programs) {
  report::AuditSnapshot snapshot = log_.snapshot();
  log_.clear();
  report_.decisions = std::move(snapshot.events);
  report_.decisions_dropped = snapshot.dropped;
  report_.submissions = counts.submitted;
  report_.elapsed_ns = begin_ns_ ? now_ns - *begin_ns_ : 0;
  for (const std::uint64_t shape : shapes_) {
    if (auto learned = chooser.report_of(shape, programs)) report_.shapes.push_back(std::move(learned));
  }
  report_.errors = chooser.errors();
  RunReport ended = std::move(report_);
  report_ = {.device = ended.device, .not_calibrated = ended.not_calibrated};
  begin_ns_.reset();
  entries_.clear();
  shapes_.clear();
  return ended;
}

}  // namespace vyre::runtime
