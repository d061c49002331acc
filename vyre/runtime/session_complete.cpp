#include <algorithm>
#include <cstring>
#include <utility>

#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {

void Session::State::complete(std::uint64_t upto, Completion when) {
  in_flight.complete(upto, [&](const PendingBatch& each) {
    for (const std::uint32_t place : each.timed) {
      const DeviceTimer::Time time = timer.completed(place);
      report.device_ns += time.ns;
      report.timed_submissions += time.launches;
    }
    stopwatch.complete(each.used, each.is_first_launch);
  });
  // Of many it is known well enough when they ended.
  if (when != Completion::Earlier || stopwatch.is_long()) {
    stop_lap(when == Completion::Awaited);
  } else if (in_flight.empty()) {
    stopwatch.reset();  // The last batch completed at a time that nobody knows.
  }
  if (reads.empty()) return;
  // Direct reads come at the end, when nothing can change the bytes any more; staged ones as soon as they are there.
  std::erase_if(reads, [&](const PendingRead& read) {
    if (read.from == nullptr || read.batch > upto) return false;
    std::memcpy(read.to.data(), read.from, read.to.size());
    return true;
  });
}

Result<void> Session::State::refresh(bool is_just_launched) {
  VYRE_ASSIGN(const std::uint64_t reached, in_flight.poll());
  // All are complete, and the last was launched just now: so they completed just now.
  const bool is_all = reached != 0 && reached == in_flight.last();
  if (reached != 0) complete(reached, is_all && is_just_launched ? Completion::JustNow : Completion::Earlier);
  return {};
}

Result<void> Session::State::wait_for(std::uint64_t wanted) {
  const std::uint64_t begin = device->now_ns();
  const Result<std::uint64_t> reached = in_flight.wait(wanted, options.watchdog);
  if (reached && *reached == 0) {
    // To wait for what is complete is a wait, too.
    if (in_flight.empty()) stop_lap(true);
    return {};
  }
  const std::uint64_t taken = device->now_ns() - begin;
  report.wait_ns += taken;
  stopwatch.work(taken);
  if (!reached) return std::unexpected{reached.error()};
  complete(*reached, Completion::Awaited);
  return {};
}

Result<bool> Session::State::is_unused(const BufferSlot& slot, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t launched = slot.last_batch == batch ? slot.batch_before : slot.last_batch;
  if (launched > in_flight.done()) VYRE_TRY(refresh());
  // What is pending may use all of it; what is gathered uses what was noted.
  if (launched > in_flight.done()) return false;
  if (slot.last_batch != batch) return true;
  if (slot.used.size() == kMaxUsed) return false;
  return std::ranges::none_of(slot.used, [&](const auto& range) {
    return backend::overlap(range.first, range.second - range.first, offset, size);
  });
}

Result<void> Session::State::wait_until_idle(BufferSlot& slot) {
  if (slot.last_batch == batch) VYRE_TRY(flush_batch());
  return slot.last_batch > in_flight.done() ? wait_for(slot.last_batch) : Result<void>{};
}

Result<void> Session::State::empty(Staging& staging) {
  VYRE_TRY(flush_batch());
  if (!in_flight.empty()) VYRE_TRY(wait_for(in_flight.last()));
  staging.free(*device);
  return {};
}

void Session::State::read_directly() {
  for (const PendingRead& read : reads) {
    if (read.from == nullptr) std::memcpy(read.to.data(), buffers[read.buffer].mapped + read.offset, read.to.size());
  }
  reads.clear();
}

std::shared_ptr<const report::ShapeReport> Session::State::report_of(std::uint64_t key) {
  const auto found = shapes.find(key);
  if (found != shapes.end() && found->second.report != nullptr) return found->second.report;
  auto learned = tuner->report(key);
  if (!learned) return nullptr;
  for (report::GroupReport& group : learned->groups) {
    const auto named = std::ranges::find(programs, group.kind.program, &CompiledProgram::id);
    if (named != programs.end()) group.program = named->program.name();
  }
  auto made = std::make_shared<const report::ShapeReport>(*std::move(learned));
  if (found != shapes.end()) found->second.report = made;
  return made;
}

RunReport Session::State::end_run() {
  report::AuditSnapshot snapshot = log.snapshot();
  report.submissions = in_flight.counts().submitted;
  report.elapsed_ns = begin_ns ? device->now_ns() - *begin_ns : 0;
  report.decisions = std::move(snapshot.events);
  report.decisions_dropped = snapshot.dropped;
  log.clear();
  for (const std::uint64_t each : run_shapes) {
    if (auto learned = report_of(each)) report.shapes.push_back(std::move(learned));
  }
  if (are_errors_old) errors = tuner->errors();
  are_errors_old = false;
  report.errors = errors;
  run_shapes.clear();
  RunReport ended = std::move(report);
  report = {.device = device->info().name, .not_calibrated = ended.not_calibrated};
  for (CompiledProgram& each : programs) {
    each.report_index = report.programs.size();
    report.programs.push_back({.program = each.program.name(), .in_place = each.in_place});
  }
  std::erase_if(ended.programs, [](const report::ProgramReport& each) { return each.dispatches == 0; });
  begin_ns.reset();
  // What is pending after a wait that was too short counts to the run that is over.
  in_flight.restart_counts();
  return ended;
}

}  // namespace vyre::runtime
