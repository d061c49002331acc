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

/// Bytes of a buffer, or none for a binding that a dispatch leaves out.
struct ByteRange {
  /// The buffer of a binding that the program does not need.
  static constexpr std::uint32_t kLeftOut = ~std::uint32_t{0};

  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  Position at = {};  ///< The place in the job, for messages.

  [[nodiscard]] bool is_left_out() const noexcept { return buffer == kLeftOut; }
};

/// An operation of a job, with all names looked up.
struct Operation {
  const Step* step = nullptr;
  plan::OperationKind kind = plan::OperationKind::Dispatch;
  std::span<const ByteRange> ranges =
      {};  ///< For a dispatch in the order of the form's rules; for a copy, source and target.
  std::uint64_t repeat = 1;

  // For a dispatch:
  std::uint32_t program = 0;
  const ProgramForm* form = nullptr;
  backend::Groups groups = {1, 1, 1};
  std::span<const std::byte> params = {};

  // For a fill:
  std::span<const std::byte> element = {};
};

using OperationSink = std::function<Result<void>(const Operation&)>;

/// Goes through the steps of a job and looks up all names. Does so once for a step that uses no loop variable.
class JobWalker {
 public:
  enum class Repeats : std::uint8_t {
    Unfold,  ///< Visit every operation, in order.
    Fold,    ///< Visit a repeated operation once, with the number of repetitions.
  };

  /// The plan must outlive this.
  explicit JobWalker(const JobPlan& plan);

  /// Calls `sink` with every operation. `InvalidArgument`, with file and line, for a mistake in a step.
  [[nodiscard]] Result<void> walk(Repeats repeats, const OperationSink& sink);

  /// The buffer that has this name after the last walk (swaps exchange names).
  [[nodiscard]] std::uint32_t buffer_of(std::uint32_t name) const noexcept { return buffer_of_[name]; }

 private:
  /// A step, before its names are turned into buffers.
  struct Resolved {
    Operation operation = {};
    std::vector<ByteRange> names = {};  ///< The ranges, with the indices of names instead of buffers.
    std::vector<std::byte> bytes = {};  ///< The parameters of a dispatch or the element of a fill.
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
  std::vector<std::vector<std::unique_ptr<ProgramForm>>> forms_;  ///< By program: its specialisations so far.
  std::vector<ByteRange> ranges_;
};

/// Checks all operations against the limits of a device, and returns their number.
[[nodiscard]] Result<std::uint64_t> check_operations(JobWalker& walker, const JobPlan& plan,
                                                     const backend::Limits& limits);

/// The widest limits, for a dry run: an operation that exceeds these cannot run on any device.
[[nodiscard]] backend::Limits no_limits() noexcept;

}  // namespace vyre::cli::job
