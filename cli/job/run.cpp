#include "cli/job/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/backends.hpp"
#include "cli/file.hpp"
#include "cli/job/dry_run.hpp"
#include "cli/job/job_plan.hpp"
#include "cli/job/job_reader.hpp"
#include "cli/job/job_result.hpp"
#include "cli/job/job_runner.hpp"
#include "cli/store_option.hpp"

namespace vyre::cli {
namespace {

using runtime::LaunchMode;

/// As they are compared: with running plainly first.
constexpr std::array kModes{LaunchMode::Plain,  LaunchMode::Batched,    LaunchMode::Replay, LaunchMode::Bindless,
                            LaunchMode::Merged, LaunchMode::Persistent, LaunchMode::Chain,  LaunchMode::Auto};

/// What was typed for `vyre run`.
struct RunArguments {
  std::string path = {};
  std::string device = {};
  std::string mode = "auto";
  std::string report = {};
  std::string store = {};
  std::uint32_t repeat = 1;
  double explore = runtime::SessionOptions{}.exploration;
  bool run_inline = false;
  bool verify = false;
  bool json = false;
  bool dry_run = false;
};

Result<LaunchMode> parse_mode(const std::string& name) {
  for (const LaunchMode mode : kModes) {
    if (to_string(mode) == name) return mode;
  }
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("--mode is '{}', it takes auto, plain, batched, replay, bindless, merged, persistent or chain",
                  job::shown(name)));
}

/// A job on a device, run in one mode or in all of them.
class Execution {
 public:
  Execution(const RunArguments& arguments, const job::JobPlan& plan, std::uint64_t operations,
            std::shared_ptr<backend::Device> device, LaunchMode mode, job::JobOutputs outputs)
      : arguments_{arguments},
        plan_{plan},
        operations_{operations},
        device_{std::move(device)},
        mode_{mode},
        outputs_{std::move(outputs)} {}

  Result<job::JobResult> run() {
    job::Progress progress{::isatty(STDERR_FILENO) == 1};
    result_ = {.job = plan_.job->name, .configuration = device_->info().configuration};
    if (!arguments_.verify) {
      VYRE_TRY(run_mode(mode_, progress));
    } else {
      for (const LaunchMode mode : kModes) VYRE_TRY(run_mode(mode, progress));
    }
    return std::move(result_);
  }

  Result<void> commit() { return outputs_.commit(); }

 private:
  Result<void> run_mode(LaunchMode mode, job::Progress& progress) {
    // Where modes are compared, none should pay for being timed.
    const bool time_device = !arguments_.verify && (arguments_.json || !arguments_.report.empty());
    runtime::SessionOptions options{.mode = mode, .time_device = time_device, .exploration = arguments_.explore};
    // Whoever runs it many times, or wants to know what was decided, wants the device to be measured.
    if (arguments_.verify || arguments_.repeat > 1 || time_device) options.calibrate_after = {};
    VYRE_ASSIGN(job::JobRunner runner, job::JobRunner::open(plan_, device_, options, operations_, progress));
    job::ModeResult ran{.mode = mode};
    report::RunReport report;
    // The middle of three is the least that says something.
    const std::uint32_t runs = std::max(arguments_.repeat, arguments_.verify ? 3U : 1U);
    for (std::uint32_t i = 0; i < runs; ++i) {
      VYRE_ASSIGN(job::JobRun one, runner.run(fmt::format("mode {}, run {} of {}", to_string(mode), i + 1, runs)));
      ran.ns.push_back(one.ns);
      one.report.calibration_ns += report.calibration_ns;
      report = std::move(one.report);
    }
    ran.submissions = report.submissions;
    ran.replays = report.replays;
    if (arguments_.verify) {
      progress.begin("comparing");
      VYRE_ASSIGN(ran.difference, compare(mode, runner));
      result_.verified.push_back(ran);
    }
    if (mode != mode_) return {};
    result_.mode = std::move(ran);
    result_.report = std::move(report);
    progress.begin("checking and writing");
    VYRE_ASSIGN(result_.checks, job::run_checks(plan_, runner));
    VYRE_ASSIGN(result_.outputs, outputs_.write(plan_, runner));
    return {};
  }

  /// Keeps the results of the mode `plain`, and compares those of the other modes with them.
  Result<std::string> compare(LaunchMode mode, job::JobRunner& runner) {
    if (mode == LaunchMode::Plain) plain_.resize(plan_.buffers.size());
    for (std::uint32_t name = 0; name < plan_.buffers.size(); ++name) {
      const job::PlannedBuffer& buffer = plan_.buffers[name];
      std::vector<std::byte>& plain = plain_[name];
      if (mode == LaunchMode::Plain) plain.reserve(buffer.bytes);
      job::Comparison comparison{buffer.type, buffer.type, {.is_bytewise = true}};
      std::size_t offset = 0;
      VYRE_TRY(runner.read(name, [&](std::span<const std::byte> bytes) -> Result<void> {
        if (mode == LaunchMode::Plain) {
          plain.insert(plain.end(), bytes.begin(), bytes.end());
        } else {
          comparison.add(bytes, std::span{plain}.subspan(offset, bytes.size()));
          offset += bytes.size();
        }
        return {};
      }));
      if (comparison.different() > 0) return fmt::format("{}, {}", buffer.name, comparison.describe(buffer.shape));
    }
    return std::string{};
  }

  const RunArguments& arguments_;
  const job::JobPlan& plan_;
  std::uint64_t operations_;
  std::shared_ptr<backend::Device> device_;
  LaunchMode mode_;
  job::JobOutputs outputs_;
  job::JobResult result_;
  std::vector<std::vector<std::byte>> plain_;  ///< The bytes of every buffer.
};

Result<job::JobPlan> load(const std::string& path, const runtime::System& system) {
  std::string text;
  {
    VYRE_ASSIGN(const File file, open_input(path));
    VYRE_ASSIGN(text, file.read_all(job::kMaxJobBytes));
  }
  VYRE_ASSIGN(job::Job job, job::read_job(text, path));
  return job::plan_job(std::move(job), system.spirv_cache());
}

Result<int> dry_run(const RunArguments& arguments, const job::JobPlan& plan, std::uint64_t operations) {
  job::JobWalker walker{plan};
  VYRE_ASSIGN(const job::DryRun planned, job::plan_first_batch(walker, plan, operations));
  const std::string& name = plan.job->name;
  VYRE_TRY(standard_output().write(arguments.json ? to_json(planned, name) + "\n" : to_text(planned, name)));
  return kExitSuccess;
}

/// Refuses a report that would replace the job or one of its outputs.
Result<void> check_report(const RunArguments& arguments, const job::Job& job) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path report = fs::weakly_canonical(arguments.report, error);
  const auto is_report = [&](const fs::path& path) { return fs::weakly_canonical(path, error) == report; };
  const bool is_output = std::ranges::any_of(job.outputs, [&](const job::Output& each) {
    return each.kind != job::Output::Kind::Print && is_report(job_path(job, each.path));
  });
  if (!is_output && !is_report(job.file)) return {};
  return fail(ErrorCode::InvalidArgument, fmt::format("--report is '{}', that is {}", job::shown(arguments.report),
                                                      is_output ? "an output of the job" : "the job itself"));
}

Result<int> run_on(const RunArguments& arguments, const runtime::System& system) {
  VYRE_ASSIGN(const LaunchMode mode, parse_mode(arguments.mode));
  VYRE_ASSIGN(const job::JobPlan plan, load(arguments.path, system));
  job::JobWalker walker{plan};
  VYRE_ASSIGN(const std::uint64_t operations, check_operations(walker, plan, job::no_limits()));
  if (arguments.dry_run) return dry_run(arguments, plan, operations);

  VYRE_ASSIGN(const std::shared_ptr<backend::Device> device, system.open({.name = arguments.device}));
  VYRE_TRY(job::check_buffers(plan, device->info()));
  VYRE_TRY(check_operations(walker, plan, device->info().limits));
  VYRE_ASSIGN(job::JobOutputs outputs, job::JobOutputs::open(plan));
  std::optional<job::OutputFile> report;
  if (!arguments.report.empty()) {
    VYRE_TRY(check_report(arguments, *plan.job));
    VYRE_ASSIGN(job::OutputFile file, job::OutputFile::create(arguments.report, 0));
    report.emplace(std::move(file));
  }

  Execution execution{arguments, plan, operations, device, mode, std::move(outputs)};
  VYRE_ASSIGN(const job::JobResult result, execution.run());
  if (report) {
    VYRE_TRY(report->write(report::to_json(result.report) + "\n"));
    VYRE_TRY(report->sync());
    VYRE_TRY(report->commit());
  }
  VYRE_TRY(execution.commit());
  VYRE_TRY(standard_output().write(arguments.json ? to_json(result) + "\n" : to_text(result)));
  return result.has_passed() ? kExitSuccess : kExitDifferent;
}

Result<int> run(const RunArguments& arguments) {
  if (arguments.run_inline) prefer_inline_drivers();
  // Exceeding a limit on file sizes should be an error like a full disk. By default the signal ends the process.
  std::signal(SIGXFSZ, SIG_IGN);
  job::say_if_files_shrink();
  const std::shared_ptr<store::Store> store = open_store(arguments.store);
  const Result<int> code = run_on(arguments, all_devices(store));
  if (store != nullptr) store->flush();
  return code;
}

}  // namespace

namespace {

/// Used instead of `CLI::Range`, which accepts text that is not a number.
std::string is_share(const std::string& text) {
  double share = 0;
  if (CLI::detail::lexical_cast(text, share) && share >= 0 && share <= 1) return {};
  return fmt::format("Value {} not in range 0 to 1", text);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Run a job: a file with programs, buffers, steps, outputs and checks");
  command->footer(
      "JOB is a TOML file; docs/jobs.md describes it. Paths in it are relative to its folder. Existing files are "
      "replaced\n"
      "only when all outputs are written. The exit code is 1 if a check or --verify finds a difference.\n\n"
      "Example:\n"
      "  vyre run heat.toml --verify");
  auto arguments = std::make_shared<RunArguments>();
  command->add_option("JOB", arguments->path, "The job")->required();
  command->add_option("--device", arguments->device, "Use the first device that has this in its name")
      ->check(check_not_empty);
  command->add_flag("--inline", arguments->run_inline,
                    "Let lavapipe run kernels on its submission thread instead of worker threads");
  command->add_option("--mode", arguments->mode, "auto, plain, batched, replay, bindless, merged, persistent or chain")
      ->capture_default_str();
  command->add_flag("--verify", arguments->verify, "Run in every mode and compare the results with those of plain");
  command
      ->add_option("--repeat", arguments->repeat,
                   "Run all steps this number of times, each time from the same contents")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1'000'000U));
  command
      ->add_option("--explore", arguments->explore,
                   "In the mode auto, the share of the time that may go into trials of other launch modes, 0 to 1")
      ->capture_default_str()
      ->check(is_share, "FLOAT in [0 - 1]");
  command->add_option("--report", arguments->report, "Write the report of the run to a JSON file")
      ->check(check_not_empty);
  add_store_option(*command, arguments->store);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--dry-run", arguments->dry_run, "Show the plan without running it; needs no device");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
