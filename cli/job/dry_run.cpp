#include "cli/job/dry_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/plan/planner.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::cli::job {
namespace {

using nlohmann::ordered_json;

plan::Operation to_planned(const Operation& operation) {
  const bool is_dispatch = operation.kind == plan::OperationKind::Dispatch;
  plan::Operation planned{.kind = operation.kind, .program = is_dispatch ? operation.program : 0};
  for (std::size_t i = 0; i < operation.ranges.size(); ++i) {
    const ByteRange& range = operation.ranges[i];
    if (range.is_left_out()) continue;
    const bool writes = is_dispatch                                   ? operation.form->writes[i]
                        : operation.kind == plan::OperationKind::Copy ? i == 1
                                                                      : true;
    planned.touches.push_back(
        {.buffer = range.buffer, .begin = range.offset, .end = range.offset + range.size, .writes = writes});
  }
  return planned;
}

/// The program of a group; empty for copies and fills.
std::string program_of(const DryRun& run, const plan::Group& group) {
  return group.kind == plan::OperationKind::Dispatch ? run.programs[group.program] : std::string{};
}

std::string describe(const DryRun& run, const plan::Wave& wave) {
  std::string text;
  for (const plan::Group& group : run.first_batch.groups_of(wave)) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} × {}", group.count, to_string(group.kind));
    if (const std::string program = program_of(run, group); !program.empty()) text.append(" ").append(program);
  }
  return text;
}

}  // namespace

Result<DryRun> plan_first_batch(JobWalker& walker, const JobPlan& plan, std::uint64_t operations) {
  const std::uint64_t most = runtime::SessionOptions{}.max_batch;
  std::vector<plan::Operation> batch;
  // A walk can only be stopped by an error.
  const Error enough{.code = ErrorCode::Internal, .message = "the batch is full"};
  const Result<void> walked = walker.walk(JobWalker::Repeats::Unfold, [&](const Operation& operation) -> Result<void> {
    const std::uint64_t count = std::min(operation.repeat, most - batch.size());
    batch.insert(batch.end(), count, to_planned(operation));
    if (batch.size() == most) return std::unexpected{enough};
    return {};
  });
  if (!walked && walked.error() != enough) return std::unexpected{walked.error()};
  DryRun run{.operations = operations, .first_batch = plan::make_plan(batch), .first_operations = batch.size()};
  for (const program::Program& program : plan.programs) run.programs.push_back(program.name());
  return run;
}

std::string to_text(const DryRun& run, const std::string& job) {
  const std::vector<plan::Wave>& waves = run.first_batch.waves;
  const plan::PlanCounts counts = run.first_batch.counts();
  std::string text = fmt::format("{}: {} operations", job, run.operations);
  if (run.first_operations < run.operations) text += fmt::format(", the first {} of them", run.first_operations);
  text +=
      fmt::format(" in {} waves: {} barriers, {} avoided\n", waves.size(), counts.barriers, counts.barriers_avoided);
  for (std::size_t i = 0; i < waves.size();) {
    const std::string what = describe(run, waves[i]);
    std::size_t last = i;
    while (last + 1 < waves.size() && describe(run, waves[last + 1]) == what) ++last;
    text += last == i ? fmt::format("  wave {}: {}\n", i, what) : fmt::format("  waves {} to {}: {}\n", i, last, what);
    i = last + 1;
  }
  return text;
}

std::string to_json(const DryRun& run, const std::string& job) {
  const plan::PlanCounts counts = run.first_batch.counts();
  ordered_json value{{"job", job},
                     {"operations", run.operations},
                     {"planned", run.first_operations},
                     {"barriers", counts.barriers},
                     {"barriers_avoided", counts.barriers_avoided},
                     {"waves", ordered_json::array()}};
  for (const plan::Wave& wave : run.first_batch.waves) {
    ordered_json groups = ordered_json::array();
    for (const plan::Group& group : run.first_batch.groups_of(wave)) {
      groups.push_back({{"kind", to_string(group.kind)},
                        {"program", program_of(run, group)},
                        {"operations", run.first_batch.operations_of(group)}});
    }
    value["waves"].push_back(std::move(groups));
  }
  return value.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace vyre::cli::job
