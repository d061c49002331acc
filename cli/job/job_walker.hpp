#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <vyre/plan/plan.hpp>

#include "cli/job/job_plan.hpp"
#include "cli/job/program_form.hpp"

namespace vyre::cli::job {

/// Bytes of a buffer.
struct ByteRange {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  Position at = {};  ///< Where the job names it.
};

/// One operation of a job with everything looked up.
struct Operation {
  const Step* step = nullptr;
  plan::OperationKind kind = plan::OperationKind::Dispatch;
  std::span<const ByteRange> ranges = {};  ///< In the order of the form's rules; source and target of a copy.
  std::uint64_t repeat = 1;

  // Of a dispatch.
  std::uint32_t program = 0;
  const ProgramForm* form = nullptr;
  backend::Groups groups = {1, 1, 1};
  std::span<const std::byte> params = {};

  // Of a fill.
  std::span<const std::byte> element = {};
};

using OperationSink = std::function<Result<void>(const Operation&)>;

/// Goes through the steps of a job and looks up all names. Keeps the result for steps that no loop changes.
class JobWalker {
 public:
  enum class Repeats : std::uint8_t {
    Unfold,  ///< Every operation in its order.
    Fold,    ///< A repeated operation once, with the number of repetitions.
  };

  /// The plan must outlive this.
  explicit JobWalker(const JobPlan& plan);

  /// Calls `sink` with every operation. `InvalidArgument`, with file and line, for a mistake in a step.
  [[nodiscard]] Result<void> walk(Repeats repeats, const OperationSink& sink);

  /// The buffer that a name means after the last walk.
  [[nodiscard]] std::uint32_t buffer_of(std::uint32_t name) const noexcept { return buffer_of_[name]; }

 private:
  /// A step, before its names are turned into buffers.
  struct Resolved {
    Operation operation = {};
    std::vector<ByteRange> names = {};  ///< With names in the place of buffers.
    std::vector<std::byte> bytes = {};  ///< Parameters or element.
    std::uint64_t repeat = 1;
    std::pair<std::uint32_t, std::uint32_t> swap = {};
  };

  [[nodiscard]] Result<void> walk_steps(std::span<const Step> steps, std::uint64_t times);
  [[nodiscard]] Result<void> walk_step(const Step& step, std::uint64_t times);
  [[nodiscard]] Result<void> walk_block(const BlockStep& block, std::uint64_t times);
  [[nodiscard]] Result<void> emit(const Resolved& resolved, std::uint64_t times);

  [[nodiscard]] Result<const Resolved*> resolve(const Step& step, Resolved& room);
  [[nodiscard]] Result<void> resolve_action(const Step& step, const DispatchStep& dispatch, Resolved& out);
  [[nodiscard]] Result<void> resolve_action(const Step& step, const CopyStep& copy, Resolved& out);
  [[nodiscard]] Result<void> resolve_action(const Step& step, const FillStep& fill, Resolved& out);
  [[nodiscard]] Result<void> resolve_action(const Step& step, const BlockStep& block, Resolved& out);
  [[nodiscard]] Result<void> resolve_swap(const Step& step, Resolved& out);
  [[nodiscard]] Result<ByteRange> resolve_view(const View& view);
  [[nodiscard]] Result<Number> resolve_number(const Quantity& quantity);
  [[nodiscard]] Result<std::uint64_t> resolve_count(const Quantity& quantity, std::string_view key, std::uint64_t least,
                                                    std::uint64_t most);
  [[nodiscard]] Result<const ProgramForm*> find_form(const Step& step, std::uint32_t program,
                                                     const DispatchStep& dispatch);
  [[nodiscard]] std::unexpected<Error> refuse(Position at, std::string_view message) const;

  const JobPlan& plan_;
  const OperationSink* sink_ = nullptr;
  Repeats repeats_ = Repeats::Unfold;
  std::vector<std::uint32_t> buffer_of_;
  std::vector<std::pair<std::string, Number>> variables_;
  bool used_variable_ = false;
  std::uint64_t iterations_ = 0;
  std::map<const Step*, std::unique_ptr<Resolved>> kept_;
  std::vector<std::vector<std::unique_ptr<ProgramForm>>> forms_;  ///< By program.
  std::vector<ByteRange> ranges_;
};

/// Refuses operations that cannot run within the limits of a device; returns how many there are.
[[nodiscard]] Result<std::uint64_t> check_operations(JobWalker& walker, const JobPlan& plan,
                                                     const backend::Limits& limits);

/// Limits that no device exceeds, for a dry run: an operation refused with these cannot run anywhere.
[[nodiscard]] backend::Limits no_limits() noexcept;

}  // namespace vyre::cli::job
