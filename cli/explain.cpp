#include "cli/explain.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/base/u128.hpp>
#include <vyre/plan/planner.hpp>
#include <vyre/report/explain.hpp>
#include <vyre/report/explanation.hpp>
#include <vyre/report/wording.hpp>

#include "cli/file.hpp"
#include "cli/plan_json.hpp"
#include "cli/policy_json.hpp"
#include "cli/report_json.hpp"

namespace vyre::cli {
namespace {

constexpr std::size_t kMaxFile = std::size_t{16} << 20;
constexpr std::uint32_t kMaxSlot = std::numeric_limits<std::uint32_t>::max();

/// The options of one command.
///
/// Reads numbers itself: CLI11 would accept 0x10 and 1e3, and its message for a wrong number does not say what is
/// allowed.
class Typed {
 public:
  explicit Typed(const CLI::App& command) : command_{command} {}

  [[nodiscard]] bool has(const std::string& option) const { return command_.count(option) != 0; }
  [[nodiscard]] bool flag(const std::string& option) const {
    return has(option) && command_.get_option(option)->as<bool>();  // `--json=false` is possible.
  }
  /// The value of an option as typed, otherwise its default.
  [[nodiscard]] std::string text(const std::string& option) const {
    const CLI::Option* typed = command_.get_option(option);
    return typed->count() != 0 ? typed->results().front() : typed->get_default_str();
  }
  [[nodiscard]] Result<std::uint32_t> count(const std::string& option) const {
    return number<std::uint32_t>(option, text(option));
  }
  [[nodiscard]] Result<std::uint64_t> ns(const std::string& option) const {
    return number<std::uint64_t>(option, text(option));
  }
  [[nodiscard]] Result<policy::SlotSet> slots(const std::string& option) const;
  [[nodiscard]] Result<policy::BindlessSupport> support(const std::string& option) const;

 private:
  template <typename T>
  [[nodiscard]] static Result<T> number(const std::string& option, std::string_view text) {
    const std::optional<std::uint64_t> value = parse_u64(text);
    constexpr T kLimit = std::numeric_limits<T>::max();
    if (value && *value <= kLimit) return static_cast<T>(*value);
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is '{}', it takes 0 to {}", option, text, kLimit));
  }

  const CLI::App& command_;
};

Result<policy::SlotSet> Typed::slots(const std::string& option) const {
  const std::string list = text(option);
  std::vector<std::uint32_t> slots;
  if (list.empty()) return policy::SlotSet{};
  for (const auto part : std::views::split(list, ',')) {
    const Result<std::uint32_t> slot = number<std::uint32_t>(option, std::string_view{part.begin(), part.end()});
    if (!slot) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} is '{}', it takes slots of 0 to {} with commas between", option, list, kMaxSlot));
    }
    slots.push_back(*slot);
  }
  return policy::SlotSet{slots};
}

Result<policy::BindlessSupport> Typed::support(const std::string& option) const {
  using policy::BindlessSupport;
  const std::string name = text(option);
  for (const auto kind : {BindlessSupport::Full, BindlessSupport::Static, BindlessSupport::Unsupported}) {
    if (name == to_string(kind)) return kind;
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is '{}', it takes full, static or unsupported", option, name));
}

Result<policy::PersistentKernelInputs> read_persistent_kernel(const Typed& typed) {
  policy::PersistentKernelInputs in;
  VYRE_ASSIGN(in.batch_size, typed.count("--batch-size"));
  VYRE_ASSIGN(in.per_launch_overhead_ns, typed.ns("--per-launch-overhead-ns"));
  VYRE_ASSIGN(in.per_item_kernel_ns, typed.ns("--per-item-kernel-ns"));
  VYRE_ASSIGN(in.persistent_setup_overhead_ns, typed.ns("--persistent-setup-overhead-ns"));
  return in;
}

Result<policy::CommandReuseInputs> read_command_reuse(const Typed& typed, const std::string& launch_option) {
  policy::CommandReuseInputs in;
  VYRE_ASSIGN(in.repeat_count, typed.count("--repeat-count"));
  VYRE_ASSIGN(in.per_launch_overhead_ns, typed.ns(launch_option));
  VYRE_ASSIGN(in.record_overhead_ns, typed.ns("--record-overhead-ns"));
  VYRE_ASSIGN(in.replay_overhead_ns, typed.ns("--replay-overhead-ns"));
  return in;
}

Result<policy::Arm> read_arm(const Typed& typed, const std::string& reads, const std::string& writes) {
  policy::Arm arm;
  VYRE_ASSIGN(arm.reads, typed.slots(reads));
  VYRE_ASSIGN(arm.writes, typed.slots(writes));
  return arm;
}

template <typename Explained>
std::string rendered(const Typed& typed, const Explained& explained) {
  return typed.flag("--json") ? to_json(explained) + "\n" : to_string(explained);
}

Result<std::string> explain_persistent_kernel(const Typed& typed) {
  VYRE_ASSIGN(const policy::PersistentKernelInputs in, read_persistent_kernel(typed));
  return rendered(typed, report::explain(in));
}

Result<std::string> explain_command_reuse(const Typed& typed) {
  VYRE_ASSIGN(const policy::CommandReuseInputs in, read_command_reuse(typed, "--per-launch-overhead-ns"));
  return rendered(typed, report::explain(in));
}

Result<std::string> explain_trace_jit(const Typed& typed) {
  policy::TraceJitInputs in;
  VYRE_ASSIGN(in.shader_hit_count, typed.count("--shader-hit-count"));
  VYRE_ASSIGN(in.prediction_confidence_bps, typed.count("--prediction-confidence-bps"));
  VYRE_ASSIGN(in.speculative_spec_cost_ns, typed.ns("--speculative-spec-cost-ns"));
  VYRE_ASSIGN(in.miss_cost_ns, typed.ns("--miss-cost-ns"));
  return rendered(typed, report::explain(in));
}

Result<std::string> explain_arm_independence(const Typed& typed) {
  VYRE_ASSIGN(const policy::Arm a, read_arm(typed, "--a-reads", "--a-writes"));
  VYRE_ASSIGN(const policy::Arm b, read_arm(typed, "--b-reads", "--b-writes"));
  return rendered(typed, report::explain_arms(a, b));
}

Result<std::string> explain_copy_overlap(const Typed& typed) {
  VYRE_ASSIGN(const std::uint32_t slot, typed.count("--copy-dst-slot"));
  VYRE_ASSIGN(const policy::Arm kernel, read_arm(typed, "--reads", "--writes"));
  return rendered(typed, report::explain_copy_overlap(slot, kernel));
}

Result<std::string> explain_bindless(const Typed& typed) {
  policy::BindlessInputs in;
  VYRE_ASSIGN(in.resource_count, typed.count("--resource-count"));
  VYRE_ASSIGN(in.support, typed.support("--support"));
  VYRE_ASSIGN(const std::uint32_t threshold, typed.count("--threshold"));
  in.dynamic_indexing = typed.flag("--dynamic-indexing");
  return rendered(typed, report::explain(in, threshold));
}

Result<std::string> explain_primary_mode(const Typed& typed) {
  const std::string own = "--graph-per-launch-overhead-ns";
  VYRE_ASSIGN(const policy::PersistentKernelInputs persistent, read_persistent_kernel(typed));
  VYRE_ASSIGN(const policy::CommandReuseInputs graph,
              read_command_reuse(typed, typed.has(own) ? own : "--per-launch-overhead-ns"));
  return rendered(typed, report::explain_primary_mode(persistent, graph));
}

/// Parses the whole text, or only its first line if that is a document by itself, as in a file of test vectors.
Result<policy::DispatchFacts> read_facts(std::string_view text) {
  Result<policy::DispatchFacts> whole = parse_dispatch_facts(text);
  const std::string_view first_line = text.substr(0, text.find('\n'));
  return whole || !first_line.ends_with('}') ? whole : parse_dispatch_facts(first_line);
}

Result<std::string> explain_bundle(const Typed& typed) {
  const std::string path = typed.text("FILE");
  VYRE_ASSIGN(const File file, open_input(path));
  VYRE_ASSIGN(const std::string text, file.read_all(kMaxFile));
  const Result<policy::DispatchFacts> facts = read_facts(text);
  if (!facts) return in_context(facts.error(), fmt::format("while reading the facts in '{}'", path));
  return rendered(typed, report::explain(*facts));
}

Result<std::string> explain_plan(const Typed& typed) {
  const std::string path = typed.text("FILE");
  VYRE_ASSIGN(const File file, open_input(path));
  VYRE_ASSIGN(const std::string text, file.read_all(kMaxFile));
  const Result<NamedOperations> read = parse_operations(text);
  if (!read) return in_context(read.error(), fmt::format("while reading the operations in '{}'", path));
  const plan::Plan planned = plan::make_plan(read->operations);
  if (typed.flag("--json")) return to_json(planned, read->programs) + "\n";
  return to_text(planned, [&](std::uint32_t program) { return read->programs.at(program); });
}

/// Explains the decisions for a group, without those that have no measured inputs: the planner decides which operations
/// may run at once, and nothing is compiled ahead. If the program has no form for one launch of many dispatches, the
/// decisions about that are left out too, and record or replay comes last.
report::BundleExplanation explain_group(const report::GroupReport& group) {
  report::BundleExplanation bundle = report::explain(group.facts, group.bindless_threshold);
  const bool has_form =
      group.facts.persistent.persistent_setup_overhead_ns != std::numeric_limits<std::uint64_t>::max();
  std::erase_if(bundle.decisions, [&](const report::Explanation& each) {
    const bool is_of_forms = each.policy == "persistent_kernel" || each.policy == "primary_mode";
    return each.policy == "arm_independence" || each.policy == "trace_jit" || (is_of_forms && !has_form);
  });
  if (!has_form) {
    const auto left = std::ranges::find(bundle.decisions, "command_reuse", &report::Explanation::policy);
    std::rotate(left, left + 1, bundle.decisions.end());
  }
  return bundle;
}

/// Explains each group of a run report: its facts, the decisions from them, and which change of an input would change a
/// decision.
Result<std::string> explain_report(const Typed& typed) {
  const std::string path = typed.text("FILE");
  VYRE_ASSIGN(const File file, open_input(path));
  VYRE_ASSIGN(const std::string text, file.read_all(kMaxFile));
  auto shapes = parse_shapes(text);
  if (!shapes) return in_context(std::move(shapes).error(), fmt::format("while reading the report '{}'", path));
  std::uint32_t wanted = 0;
  if (typed.has("--group")) {
    VYRE_ASSIGN(wanted, typed.count("--group"));
  }
  std::string out;
  std::uint32_t number = 0;
  for (const report::ShapeReport& shape : *shapes) {
    const std::uint32_t first = number + 1;
    std::string groups;
    for (const report::GroupReport& group : shape.groups) {
      if (wanted != 0 && ++number != wanted) continue;
      if (wanted == 0) ++number;
      if (typed.flag("--json")) {
        out += to_json(report::explain(group.facts, group.bindless_threshold)) + "\n";
        continue;
      }
      const report::BundleExplanation bundle = explain_group(group);
      groups += fmt::format("\ngroup {}: {} of {}\n", number,
                            report::counted(group.kind.count, "dispatch", "dispatches"), group.program);
      // The policies have terms of their own, so the text says which launch modes they stand for.
      if (bundle.decisions.front().policy == "persistent_kernel") {
        groups +=
            "a persistent kernel stands for one launch of many dispatches: merged, persistent or chain, the cheapest\n";
      }
      groups += "plain launches stand for one list, recorded anew; costs are the group's share of the estimates\n";
      groups += "\n" + to_string(bundle);
    }
    if (groups.empty()) continue;
    out += fmt::format("{}groups {} to {}\n{}{}", out.empty() ? "" : "\n", first, first + shape.groups.size() - 1,
                       to_text(shape), groups);
  }
  if (out.empty() && wanted != 0) {
    return fail(ErrorCode::InvalidArgument, fmt::format("--group is {}, the report has {} groups", wanted, number));
  }
  if (out.empty() && !typed.flag("--json")) out = "the report has no batch that a launch mode was chosen for\n";
  return out;
}

struct OptionSpec {
  std::string name;
  std::string kind;  ///< The kind of the value; empty for a flag.
  std::string help;
  std::optional<std::string> fallback = std::nullopt;  ///< The default; nothing if the option is required.
};

struct CommandSpec {
  std::string name;
  std::string help;
  Result<std::string> (*explain)(const Typed&);
  std::vector<OptionSpec> options;
  std::string example;
};

std::vector<OptionSpec> joined(std::vector<OptionSpec> first, std::span<const OptionSpec> second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<CommandSpec> command_specs() {
  const OptionSpec launch{"--per-launch-overhead-ns", "NS", "Paid per plain launch"};
  const std::vector<OptionSpec> queue{
      {"--batch-size", "N", "Launches in the batch"},
      launch,
      {"--per-item-kernel-ns", "NS", "Paid per item in both cases", "0"},
      {"--persistent-setup-overhead-ns", "NS", "Paid once for a persistent kernel"},
  };
  const std::vector<OptionSpec> replay{
      {"--repeat-count", "N", "How often the same launches are made"},
      {"--record-overhead-ns", "NS", "Paid once for recording"},
      {"--replay-overhead-ns", "NS", "Paid per replay"},
  };
  const OptionSpec graph_launch{"--graph-per-launch-overhead-ns", "NS",
                                "Paid per plain launch of the repeated batch, if that differs", ""};
  return {
      {"persistent-kernel", "N launches, or one persistent kernel draining a device-side queue?",
       explain_persistent_kernel, queue,
       "--batch-size 500 --per-launch-overhead-ns 5000 --persistent-setup-overhead-ns 50000"},
      {"command-reuse", "Launch plainly, or record once and replay?", explain_command_reuse, joined({launch}, replay),
       "--repeat-count 500 --per-launch-overhead-ns 5000 --record-overhead-ns 25000 --replay-overhead-ns 500"},
      {"trace-jit",
       "Compile the predicted next specialisation now?",
       explain_trace_jit,
       {{"--shader-hit-count", "N", "How often the shape was seen"},
        {"--prediction-confidence-bps", "BPS", "Share of predictions that were right, in basis points (10000 is all)"},
        {"--speculative-spec-cost-ns", "NS", "Paid now, whether the specialisation is needed or not"},
        {"--miss-cost-ns", "NS", "Paid later, if it is needed and was not compiled"}},
       "--shader-hit-count 100 --prediction-confidence-bps 9000 --speculative-spec-cost-ns 10000 "
       "--miss-cost-ns 100000"},
      {"arm-independence",
       "May two arms (two dispatches, for example) run at once?",
       explain_arm_independence,
       {{"--a-reads", "SLOTS", "Slots the first arm reads", ""},
        {"--a-writes", "SLOTS", "Slots the first arm writes", ""},
        {"--b-reads", "SLOTS", "Slots the second arm reads", ""},
        {"--b-writes", "SLOTS", "Slots the second arm writes", ""}},
       "--a-reads 0,1 --a-writes 2 --b-reads 2,3 --b-writes 4"},
      {"copy-overlap",
       "May a host-to-device copy overlap a kernel?",
       explain_copy_overlap,
       {{"--copy-dst-slot", "SLOT", "The slot that the copy fills"},
        {"--reads", "SLOTS", "Slots the kernel reads", ""},
        {"--writes", "SLOTS", "Slots the kernel writes", ""}},
       "--copy-dst-slot 7 --reads 0,1 --writes 2"},
      {"bindless",
       "One binding per resource, or one table of addresses?",
       explain_bindless,
       {{"--resource-count", "N", "Resources the kernel uses"},
        {"--support", "KIND", "Whether kernels can read addresses from a table: full, static or unsupported"},
        {"--dynamic-indexing", "", "The kernel computes its indices"},
        {"--threshold", "N", "The number of resources from which a table pays",
         fmt::format("{}", policy::kBindlessThreshold)}},
       "--resource-count 40 --support static --dynamic-indexing"},
      {"primary-mode", "Which launch mode: plain, a persistent kernel, or command reuse?", explain_primary_mode,
       joined(joined(queue, replay), {&graph_launch, 1}),
       "--batch-size 500 --per-launch-overhead-ns 5000 --persistent-setup-overhead-ns 50000 "
       "--repeat-count 500 --record-overhead-ns 25000 --replay-overhead-ns 500"},
      {"bundle",
       "All six decisions, the launch mode that follows from them, and the audit events",
       explain_bundle,
       {{"FILE", "PATH", "The inputs as JSON, alone or in a dispatch_bundle question; - is standard input"}},
       "tests/vectors/dispatch_bundle.jsonl"},
      {"report",
       "Every group of a run: the measured times, the decisions, and what would change them",
       explain_report,
       {{"FILE", "PATH", "A report that 'vyre run --report' or '--json' wrote; - is standard input"},
        {"--group", "N", "Only the group with this number, from 1", ""}},
       "report.json --group 1"},
      {"plan",
       "Which operations of a batch may run at once, and where barriers are needed",
       explain_plan,
       {{"FILE", "PATH",
         "The operations as JSON, each with a kind (dispatch, copy or fill), the program of a dispatch, and the ranges "
         "it reads and writes; - is standard input"}},
       R"(- <<'END'
  {"operations": [
    {"kind": "fill", "writes": [{"buffer": "x", "offset": 0, "size": 256}]},
    {"kind": "dispatch", "program": "saxpy",
     "reads": [{"buffer": "x", "offset": 0, "size": 256}], "writes": [{"buffer": "y", "offset": 0, "size": 256}]}]}
  END)"},
  };
}

void add_option(CLI::App& command, const OptionSpec& spec) {
  if (spec.kind.empty()) {
    command.add_flag(spec.name, spec.help);
    return;
  }
  CLI::Option* option = command.add_option(spec.name, spec.help)->type_name(spec.kind);
  spec.fallback ? option->default_str(*spec.fallback) : option->required();
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* explain = app.add_subcommand("explain", "Show the arithmetic of a decision, and what would change it");
  explain->require_subcommand(1);
  for (const CommandSpec& spec : command_specs()) {
    CLI::App* command = explain->add_subcommand(spec.name, spec.help);
    for (const OptionSpec& option : spec.options) add_option(*command, option);
    add_option(*command, {"--json", "", "Print one line of JSON"});
    command->footer(fmt::format("Example:\n  vyre explain {} {}", spec.name, spec.example));
    command->callback([command, &action, render = spec.explain] {
      action = [command, render]() -> Result<int> {
        VYRE_ASSIGN(const std::string text, render(Typed{*command}));
        VYRE_TRY(standard_output().write(text));
        return kExitSuccess;
      };
    });
  }
  explain->footer("Example:\n  vyre explain persistent-kernel --help");
}

}  // namespace vyre::cli
