#include "cli/job/job_walker.hpp"

#include <algorithm>
#include <limits>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vyre::cli::job {
namespace {

/// Whether a buffer may be bound to a binding by their element types: floats to floats of the same size, and integers
/// to integers of any size, because kernels pack integers in many ways.
bool is_alike(const program::ScalarType& buffer, const program::ScalarType& binding) noexcept {
  const bool is_float = buffer.kind == program::ScalarKind::Float;
  if (is_float != (binding.kind == program::ScalarKind::Float)) return false;
  return !is_float || buffer.bits == binding.bits;
}

bool is_overlapping(const ByteRange& a, const ByteRange& b) noexcept {
  return a.buffer == b.buffer && backend::overlap(a.offset, a.size, b.offset, b.size);
}

/// The most iterations of all loops together: a walk visits every one of them.
constexpr std::uint64_t kMaxIterations = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxOperations = 1'000'000'000;

std::uint64_t iterations_of(const Loop& loop) noexcept {
  if (const auto* list = std::get_if<std::vector<Number>>(&loop.values)) return list->size();
  const auto& range = std::get<LoopRange>(loop.values);
  const i128 distance = i128{range.stop} - range.start;
  if (distance == 0 || (distance > 0) != (range.step > 0)) return 0;
  const i128 step = range.step > 0 ? i128{range.step} : -i128{range.step};
  return static_cast<std::uint64_t>(((distance > 0 ? distance : -distance) + step - 1) / step);
}

Number value_of(const Loop& loop, std::uint64_t iteration) noexcept {
  if (const auto* list = std::get_if<std::vector<Number>>(&loop.values)) return (*list)[iteration];
  const auto& range = std::get<LoopRange>(loop.values);
  return static_cast<std::int64_t>(range.start + i128{range.step} * static_cast<i128>(iteration));
}

std::uint64_t multiply_up_to(std::uint64_t a, std::uint64_t b, std::uint64_t most) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > most ? most : product;
}

}  // namespace

JobWalker::JobWalker(const JobPlan& plan)
    : plan_{plan}, buffer_of_(plan.buffers.size()), forms_(plan.programs.size()) {}

Result<void> JobWalker::walk(Repeats repeats, const OperationSink& sink) {
  sink_ = &sink;
  repeats_ = repeats;
  iterations_ = 0;
  variables_.clear();
  for (std::uint32_t i = 0; i < buffer_of_.size(); ++i) buffer_of_[i] = i;
  return walk_steps(plan_.job->steps, 1);
}

Result<void> JobWalker::walk_steps(std::span<const Step> steps, std::uint64_t times) {
  for (const Step& step : steps) VYRE_TRY(walk_step(step, times));
  return {};
}

Result<void> JobWalker::walk_step(const Step& step, std::uint64_t times) {
  Resolved room;
  VYRE_ASSIGN(const Resolved* resolved, resolve(step, room));
  const auto* block = std::get_if<BlockStep>(&step.action);
  const auto once = [&](std::uint64_t count) {
    return block != nullptr ? walk_block(*block, count) : emit(*resolved, count);
  };
  // When folding, swaps can be ignored, because they change nothing that could be refused. A single operation without a
  // swap is given to the sink once, with its number of repetitions, in any case.
  const bool can_fold = block == nullptr && !step.swap;
  if (repeats_ == Repeats::Fold || can_fold) {
    return once(multiply_up_to(times, resolved->repeat, std::numeric_limits<std::uint64_t>::max()));
  }
  // `resolved` stays valid: resolving inner steps adds entries to `kept_`, but does not move this one.
  for (std::uint64_t i = 0, count = resolved->repeat; i < count; ++i) {
    VYRE_TRY(once(times));
    if (step.swap) std::swap(buffer_of_[resolved->swap.first], buffer_of_[resolved->swap.second]);
  }
  return {};
}

Result<void> JobWalker::walk_block(const BlockStep& block, std::uint64_t times) {
  if (!block.loop) return walk_steps(block.steps, times);
  const std::uint64_t count = iterations_of(*block.loop);
  if (count == 0) {
    return refuse(block.loop->variable.at,
                  fmt::format("'{}' has no values, a loop takes at least one", shown(block.loop->variable.text)));
  }
  if (repeats_ == Repeats::Fold) {
    if (count > kMaxIterations - std::min(iterations_, kMaxIterations)) {
      return refuse(
          block.loop->variable.at,
          fmt::format("the loops go round more than {} times, that is the limit; 'repeat' has none", kMaxIterations));
    }
    iterations_ += count;
  }
  variables_.emplace_back(block.loop->variable.text, Number{});
  for (std::uint64_t i = 0; i < count; ++i) {
    variables_.back().second = value_of(*block.loop, i);
    VYRE_TRY(walk_steps(block.steps, times));
  }
  variables_.pop_back();
  return {};
}

Result<void> JobWalker::emit(const Resolved& resolved, std::uint64_t times) {
  ranges_ = resolved.names;
  for (ByteRange& range : ranges_) {
    if (!range.is_left_out()) range.buffer = buffer_of_[range.buffer];
  }
  Operation operation = resolved.operation;
  operation.ranges = ranges_;
  operation.repeat = times;
  (operation.kind == plan::OperationKind::Dispatch ? operation.params : operation.element) = resolved.bytes;
  return (*sink_)(operation);
}

Result<const JobWalker::Resolved*> JobWalker::resolve(const Step& step, Resolved& room) {
  if (const auto found = kept_.find(&step); found != kept_.end()) return found->second.get();
  used_variable_ = false;
  VYRE_ASSIGN(room.repeat, resolve_count(step.repeat, "repeat", 1, kMaxOperations));
  VYRE_TRY(std::visit([&](const auto& action) { return resolve_action(step, action, room); }, step.action));
  VYRE_TRY(resolve_swap(step, room));
  if (used_variable_) return &room;
  return kept_.emplace(&step, std::make_unique<Resolved>(std::move(room))).first->second.get();
}

Result<void> JobWalker::resolve_action(const Step& step, const DispatchStep& dispatch, Resolved& out) {
  VYRE_ASSIGN(const std::uint32_t program, plan_.find_program(dispatch.program));
  VYRE_ASSIGN(const ProgramForm* form, find_form(step, program, dispatch));
  const std::string& file = plan_.job->file;
  const Resolve number = [this](const Quantity& quantity) { return resolve_number(quantity); };
  out.operation = {.step = &step, .program = program, .form = form};
  for (std::size_t i = 0; i < dispatch.extent.size(); ++i) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    VYRE_ASSIGN(std::uint64_t count,
                resolve_count(dispatch.extent[i], dispatch.is_groups ? "groups" : "size", 1, kMost));
    const std::uint64_t size = std::max<std::uint64_t>(form->interface.workgroup.size[i], 1);
    if (!dispatch.is_groups) count = (count + size - 1) / size;
    out.operation.groups[i] = static_cast<std::uint32_t>(count);
  }
  VYRE_ASSIGN(const std::vector<const View*> views,
              order_views(file, plan_.programs[program], *form, step, dispatch.bindings));
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i] == nullptr) {
      out.names.push_back({.buffer = ByteRange::kLeftOut, .at = step.at});
      continue;
    }
    VYRE_ASSIGN(const ByteRange range, resolve_view(*views[i]));
    const PlannedBuffer& buffer = plan_.buffers[range.buffer];
    const std::optional<program::ScalarType>& element = form->elements[i];
    if (element && !views[i]->reinterpret && !is_alike(scalar_of(buffer.type), *element)) {
      return refuse(range.at, fmt::format("buffer '{}' is {}, {} is an array of {}; give it one of that type, or say "
                                          "{{ buffer = \"{}\", reinterpret = true }}",
                                          buffer.name, to_string(buffer.type), to_string(form->rules[i]),
                                          program::to_string(*element), buffer.name));
    }
    out.names.push_back(form->rules[i].is_needed ? range : ByteRange{.buffer = ByteRange::kLeftOut, .at = range.at});
  }
  VYRE_ASSIGN(out.bytes, lay_out_params(file, plan_.programs[program], *form, step, dispatch.params, number));
  return {};
}

Result<void> JobWalker::resolve_action(const Step& step, const CopyStep& copy, Resolved& out) {
  VYRE_ASSIGN(const ByteRange from, resolve_view(copy.from));
  VYRE_ASSIGN(const ByteRange to, resolve_view(copy.to));
  if (from.size != to.size) {
    return refuse(to.at, fmt::format("{} bytes of '{}' are copied to {} of '{}', it takes as many", from.size,
                                     copy.from.buffer.text, to.size, copy.to.buffer.text));
  }
  out.operation = {.step = &step, .kind = plan::OperationKind::Copy};
  out.names = {from, to};
  return {};
}

Result<void> JobWalker::resolve_action(const Step& step, const FillStep& fill, Resolved& out) {
  VYRE_ASSIGN(const ByteRange range, resolve_view(fill.view));
  const ElementType type = plan_.buffers[range.buffer].type;
  VYRE_ASSIGN(const Number number, resolve_number(fill.value));
  auto bits = to_bits(number, scalar_of(type), to_string(type));
  if (!bits) return std::unexpected{error_at(plan_.job->file, fill.value.at, std::move(bits).error())};
  const auto whole = std::as_bytes(std::span{&*bits, 1});
  // For a complex type, this sets the real part; the rest stays zero.
  out.bytes.assign(whole.begin(), whole.begin() + scalar_of(type).bits / 8);
  out.bytes.resize(bytes_of(type));
  out.operation = {.step = &step, .kind = plan::OperationKind::Fill};
  out.names = {range};
  return {};
}

Result<void> JobWalker::resolve_action(const Step& step, const BlockStep& /*block*/, Resolved& out) {
  out.operation.step = &step;
  return {};
}

Result<void> JobWalker::resolve_swap(const Step& step, Resolved& out) {
  if (!step.swap) return {};
  VYRE_ASSIGN(out.swap.first, plan_.find_buffer(step.swap->first));
  VYRE_ASSIGN(out.swap.second, plan_.find_buffer(step.swap->second));
  const PlannedBuffer& first = plan_.buffers[out.swap.first];
  const PlannedBuffer& second = plan_.buffers[out.swap.second];
  if (first.type == second.type && first.shape == second.shape) return {};
  return refuse(step.swap->second.at,
                fmt::format("'{}' is {} and '{}' is {}, buffers that are swapped are alike", first.name,
                            describe(first.type, first.shape), second.name, describe(second.type, second.shape)));
}

Result<ByteRange> JobWalker::resolve_view(const View& view) {
  VYRE_ASSIGN(const std::uint32_t name, plan_.find_buffer(view.buffer));
  const PlannedBuffer& buffer = plan_.buffers[name];
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t all = buffer.count();
  std::uint64_t offset = 0;
  if (view.offset) {
    VYRE_ASSIGN(offset, resolve_count(*view.offset, "offset", 0, kMost));
    if (offset >= all) {
      return refuse(view.offset->at,
                    fmt::format("'offset' is {}, buffer '{}' has {} elements", offset, buffer.name, all));
    }
  }
  std::uint64_t count = all - offset;
  if (view.count) {
    VYRE_ASSIGN(count, resolve_count(*view.count, "count", 1, kMost));
    if (count > all - offset) {
      return refuse(view.count->at, fmt::format("'count' is {}, buffer '{}' has {} elements from {} on", count,
                                                buffer.name, all - offset, offset));
    }
  }
  const std::uint64_t size = bytes_of(buffer.type);
  return ByteRange{.buffer = name, .offset = offset * size, .size = count * size, .at = view.buffer.at};
}

Result<Number> JobWalker::resolve_number(const Quantity& quantity) {
  if (const auto* number = std::get_if<Number>(&quantity.value)) return *number;
  const auto& name = std::get<std::string>(quantity.value);
  used_variable_ = true;
  for (const auto& [variable, value] : std::ranges::reverse_view{variables_}) {
    if (variable == name) return value;
  }
  std::vector<std::string> names;
  for (const auto& each : variables_) names.push_back(shown(each.first));
  return refuse(quantity.at, fmt::format("there is no loop variable '{}' here, there are {}", shown(name),
                                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

Result<std::uint64_t> JobWalker::resolve_count(const Quantity& quantity, std::string_view key, std::uint64_t least,
                                               std::uint64_t most) {
  VYRE_ASSIGN(const Number number, resolve_number(quantity));
  const std::optional<i128> whole = to_whole(number);
  if (!whole || *whole < static_cast<i128>(least) || *whole > static_cast<i128>(most)) {
    return refuse(quantity.at, fmt::format("'{}' is {}, it takes a whole number from {} to {}", key, to_string(number),
                                           least, most));
  }
  return static_cast<std::uint64_t>(*whole);
}

Result<const ProgramForm*> JobWalker::find_form(const Step& step, std::uint32_t program, const DispatchStep& dispatch) {
  const Job& job = *plan_.job;
  // The values of the step come after those of the program, and the last value of a name counts.
  std::vector<NamedQuantity> values = job.programs[program].values;
  values.insert(values.end(), dispatch.values.begin(), dispatch.values.end());
  VYRE_ASSIGN(std::vector<program::spirv::SpecOverride> overrides,
              to_overrides(job.file, plan_.programs[program], values,
                           [this](const Quantity& quantity) { return resolve_number(quantity); }));
  for (const std::unique_ptr<ProgramForm>& form : forms_[program]) {
    if (form->values == overrides) return form.get();
  }
  Result<ProgramForm> made = make_form(plan_.programs[program], std::move(overrides));
  if (!made) return std::unexpected{error_at(job.file, step.at, std::move(made).error())};
  return forms_[program].emplace_back(std::make_unique<ProgramForm>(*std::move(made))).get();
}

std::unexpected<Error> JobWalker::refuse(Position at, std::string_view message) const {
  return refuse_at(plan_.job->file, at, message);
}

Result<std::uint64_t> check_operations(JobWalker& walker, const JobPlan& plan, const backend::Limits& limits) {
  std::uint64_t count = 0;
  const std::string& file = plan.job->file;
  const auto check = [&](const Operation& operation) -> Result<void> {
    count = multiply_up_to(operation.repeat, 1, kMaxOperations + 1) + count;
    if (count > kMaxOperations) {
      return refuse_at(file, operation.step->at,
                       fmt::format("the job has more than {} operations, that is the limit", kMaxOperations));
    }
    if (operation.kind == plan::OperationKind::Copy && is_overlapping(operation.ranges[0], operation.ranges[1])) {
      return refuse_at(file, operation.ranges[1].at, "what is copied overlaps the place it is copied to");
    }
    if (operation.kind != plan::OperationKind::Dispatch) return {};
    if (auto checked = backend::check_groups(operation.groups, limits); !checked) {
      return std::unexpected{error_at(file, operation.step->at, std::move(checked).error())};
    }
    for (std::size_t i = 0; i < operation.ranges.size(); ++i) {
      const ByteRange& range = operation.ranges[i];
      if (range.is_left_out()) continue;
      auto checked = backend::check_range(operation.form->rules[i], range.offset, range.size,
                                          plan.buffers[range.buffer].bytes, limits);
      if (!checked) return std::unexpected{error_at(file, range.at, std::move(checked).error())};
    }
    return {};
  };
  VYRE_TRY(walker.walk(JobWalker::Repeats::Fold, check));
  return count;
}

backend::Limits no_limits() noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint32_t kMostGroups = std::numeric_limits<std::uint32_t>::max();
  return {.memory_bytes = kMost,
          .max_buffer_bytes = kMost,
          .max_storage_range = kMost,
          .max_uniform_range = kMost,
          .max_groups = {kMostGroups, kMostGroups, kMostGroups}};
}

}  // namespace vyre::cli::job
