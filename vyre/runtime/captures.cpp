#include <vyre/runtime/captures.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

template <typename T>
void keep_each_once(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

/// The numbers of buffers by the indices of their handles.
class BufferNumbers {
 public:
  BufferNumbers(std::span<const std::uint32_t> numbers, const BufferTable& buffers) {
    for (const std::uint32_t each : numbers) pairs_.emplace_back(buffers[each].handle.index, each);
    std::ranges::sort(pairs_);
  }
  [[nodiscard]] std::uint32_t of(std::uint32_t handle_index) const noexcept {
    return std::ranges::lower_bound(pairs_, handle_index, {}, &Pair::first)->second;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Pair> pairs_;
};

CapturedPart make_part(const plan::Batch& batch, std::size_t begin, std::size_t end, const BufferNumbers& numbers,
                       const ProgramTable& programs) {
  CapturedPart part;
  part.operations.begin = begin;
  part.operations.end = end;
  for (const backend::Command& command : batch.list.commands().subspan(begin, end - begin)) {
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      const std::uint32_t program = programs.program_of(dispatch->pipeline);
      std::vector<std::uint64_t>& dispatches = part.operations.dispatches;
      if (program >= dispatches.size()) dispatches.resize(std::size_t{program} + 1);
      ++dispatches[program];
    }
    plan::for_each_touch(batch.list, command, programs.writes_of(), [&](const plan::Touch& touch) {
      const std::uint32_t buffer = numbers.of(touch.buffer);
      part.buffers.push_back(buffer);
      if (touch.writes)
        part.writes.push_back({.buffer = buffer, .offset = touch.begin, .size = touch.end - touch.begin});
    });
  }
  keep_each_once(part.buffers);
  keep_each_once(part.writes);
  return part;
}

std::vector<CapturedBatch::Label> make_labels(const plan::Batch& batch, std::span<const std::string> names,
                                              const ProgramTable& programs) {
  std::vector<CapturedBatch::Label> labels;
  const std::span<const backend::Command> commands = batch.list.commands();
  std::vector<std::pair<std::string_view, std::uint32_t>> labelled;
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    if (!std::holds_alternative<backend::Dispatch>(commands[i])) continue;
    if (const std::string& name = names[next++]; !name.empty()) labelled.emplace_back(name, i);
  }
  std::ranges::sort(labelled);
  for (const auto& [name, operation] : labelled) {
    if (labels.empty() || labels.back().name != name) labels.push_back({.name = std::string{name}});
    const auto& dispatch = std::get<backend::Dispatch>(commands[operation]);
    labels.back().dispatches.push_back({.operation = operation,
                                        .program = programs.program_of(dispatch.pipeline),
                                        .power = plan::hash_power(commands.size() - 1 - operation)});
  }
  return labels;
}

const backend::Dispatch& dispatch_at(const plan::Batch& batch, std::uint32_t operation) {
  return std::get<backend::Dispatch>(batch.list.commands()[operation]);
}

std::uint64_t hash_at(const plan::Batch& batch, std::uint32_t operation) {
  const backend::Dispatch& dispatch = dispatch_at(batch, operation);
  return plan::hash_dispatch(dispatch.pipeline, batch.list.ranges(dispatch), dispatch.groups,
                             batch.list.params(dispatch));
}

/// Makes the changed batch the captured one.
void restore_all(CapturedBatch& captured) {
  captured.changed = captured.batch;
  captured.changed_labels.clear();
  captured.has_other_changes = false;
  for (CapturedBatch::Label& label : captured.labels) {
    for (LabelledDispatch& each : label.dispatches) each.hash = hash_at(captured.batch, each.operation);
  }
}

/// Gives a dispatch of the changed batch other parameters.
void set_params(CapturedBatch& captured, LabelledDispatch& at, std::span<const std::byte> params) {
  plan::Batch& changed = captured.changed;
  const std::span<std::byte> room = changed.list.params(dispatch_at(changed, at.operation));
  if (!room.empty()) std::memcpy(room.data(), params.data(), room.size());
  const std::uint64_t hash = hash_at(changed, at.operation);
  changed.hash += (hash - at.hash) * at.power;
  at.hash = hash;
}

/// Gives the dispatches of a label the parameters that were captured.
void restore(CapturedBatch& captured, CapturedBatch::Label& label) {
  for (LabelledDispatch& each : label.dispatches) {
    set_params(captured, each, std::as_const(captured.batch.list).params(dispatch_at(captured.batch, each.operation)));
  }
}

Result<void> change_params(CapturedBatch& captured, CapturedBatch::Label& label, const Params& params,
                           const ProgramTable& programs) {
  std::array<std::byte, Params::kMaxBytes> room;
  const LabelledDispatch* before = nullptr;
  for (LabelledDispatch& each : label.dispatches) {
    const CompiledProgram& program = programs[each.program];
    if (before == nullptr || before->program != each.program) VYRE_TRY(lay_out(program, params, room.data()));
    set_params(captured, each, std::span{room}.first(program.push_bytes));
    before = &each;
  }
  return {};
}

Result<void> change_all_params(CapturedBatch& captured, std::span<const CaptureParams> all,
                               const ProgramTable& programs) {
  const auto is_given = [&](std::uint32_t label) {
    return std::ranges::find(all, captured.labels[label].name, &CaptureParams::label) != all.end();
  };
  for (const std::uint32_t label : captured.changed_labels) {
    if (!is_given(label)) restore(captured, captured.labels[label]);
  }
  captured.changed_labels.clear();
  for (const CaptureParams& each : all) {
    const auto found = std::ranges::lower_bound(captured.labels, each.label, {}, &CapturedBatch::Label::name);
    if (found == captured.labels.end() || found->name != each.label) {
      return invalid(fmt::format("the capture has no dispatch labelled '{}'", each.label));
    }
    const auto place = static_cast<std::uint32_t>(found - captured.labels.begin());
    if (std::ranges::find(captured.changed_labels, place) != captured.changed_labels.end()) {
      return invalid(fmt::format("label '{}' is given parameters twice", each.label));
    }
    captured.changed_labels.push_back(place);
    VYRE_TRY(change_params(captured, *found, each.params, programs));
  }
  return {};
}

Result<void> change_buffers(CapturedBatch& captured, std::span<const CaptureBuffer> others, BufferTable& buffers,
                            const ProgramTable& programs, BatchPlanner& planner) {
  std::vector<std::pair<backend::BufferHandle, backend::BufferHandle>> names;
  for (const CaptureBuffer& each : others) {
    VYRE_ASSIGN(const BufferSlot* from, buffers.find(each.from));
    VYRE_ASSIGN(const BufferSlot* to, buffers.find(each.to));
    if (!std::ranges::binary_search(captured.buffers, each.from.index)) {
      return invalid("the capture does not use the buffer that another is given for");
    }
    if (each.from.size != from->size || each.to.size != to->size || to->size < from->size) {
      return invalid(fmt::format(
          "a view of {} of {} bytes takes the place of one of {} of {}; whole buffers do, of at least the same size",
          each.to.size, to->size, each.from.size, from->size));
    }
    if (std::ranges::find(names, from->handle, &decltype(names)::value_type::first) != names.end()) {
      return invalid("two buffers are given for one of the capture");
    }
    names.emplace_back(from->handle, to->handle);
  }
  backend::CommandList& list = captured.changed.list;
  list.rename_buffers([&](backend::BufferHandle buffer) {
    const auto found = std::ranges::find(names, buffer, &decltype(names)::value_type::first);
    return found == names.end() ? buffer : found->second;
  });
  // Checks the new buffers: views of one operation that must be apart do not overlap, and no two operations of a wave
  // conflict.
  for (std::size_t i = 0; i < list.commands().size(); ++i) {
    const backend::Command& command = list.commands()[i];
    Result<void> apart;
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      apart = check_apart(programs[programs.program_of(dispatch->pipeline)], list.ranges(*dispatch));
    } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      if (copy->from == copy->to && backend::overlap(copy->from_offset, copy->size, copy->to_offset, copy->size)) {
        apart = invalid("the views that are copied between overlap");
      }
    }
    if (!apart) return in_context(std::move(apart).error(), fmt::format("while giving operation {} other buffers", i));
  }
  if (const auto conflict = planner.find_conflict(list, captured.waves, programs)) {
    return invalid(
        fmt::format("with these buffers operation {} of the capture must wait for one before it, where the "
                    "capture has no barrier",
                    *conflict));
  }
  captured.changed.rehash();
  return {};
}

}  // namespace

std::uint32_t CaptureChanges::buffer_for(std::uint32_t captured) const noexcept {
  for (const CaptureBuffer& each : buffers) {
    if (each.from.index == captured) return each.to.index;
  }
  return captured;
}

BufferView CaptureChanges::view_for(const BufferView& captured) const noexcept {
  for (const CaptureBuffer& each : buffers) {
    if (each.from.index == captured.index) return each.to.bytes(captured.offset, captured.size);
  }
  return captured;
}

std::span<const std::byte> CaptureChanges::source_of(const CapturedTransfer& transfer) const noexcept {
  for (const CaptureBytes& each : bytes) {
    if (each.view == transfer.view && !each.from.empty()) return each.from;
  }
  return transfer.from;
}

std::span<std::byte> CaptureChanges::target_of(const CapturedTransfer& transfer) const noexcept {
  for (const CaptureBytes& each : bytes) {
    if (each.view == transfer.view && !each.to.empty()) return each.to;
  }
  return transfer.to;
}

Capture Captures::add(const BatchBuilder& builder, const plan::Plan& plan, const BufferTable& buffers,
                      const ProgramTable& programs) {
  auto made = std::make_unique<CapturedBatch>();
  made->batch = builder.batch();
  made->transfers.assign(builder.transfers().begin(), builder.transfers().end());
  made->buffers = buffers.used_by(builder.number());
  made->labels = make_labels(made->batch, builder.labels(), programs);
  made->waves.resize(plan.operations.size());
  for (std::uint32_t wave = 0; wave < plan.waves.size(); ++wave) {
    for (const plan::Group& group : plan.groups_of(plan.waves[wave])) {
      for (const std::uint32_t operation : plan.operations_of(group)) made->waves[operation] = wave;
    }
  }
  const BufferNumbers numbers{made->buffers, buffers};
  std::size_t begin = 0;
  const auto end_part = [&](std::size_t end) {
    if (end > begin) made->parts.push_back(make_part(made->batch, begin, end, numbers, programs));
    begin = end;
  };
  for (const CapturedTransfer& each : made->transfers) end_part(each.before);
  end_part(made->batch.list.commands().size());
  captures_.push_back(std::move(made));
  return {.session = session_, .index = static_cast<std::uint32_t>(captures_.size() - 1)};
}

Result<CapturedBatch*> Captures::find(Capture name) {
  if (name.session != session_) return invalid("the capture belongs to another session");
  if (name.index >= captures_.size()) {
    return invalid(fmt::format("capture {} is replayed, the session made {}", name.index, captures_.size()));
  }
  if (captures_[name.index] == nullptr) return invalid("the capture names a buffer that was freed");
  return captures_[name.index].get();
}

Result<const plan::Batch*> Captures::change(CapturedBatch& captured, const CaptureChanges& changes,
                                            std::uint64_t number, BufferTable& buffers, const ProgramTable& programs,
                                            BatchPlanner& planner) {
  if (captured.has_other_changes || !changes.buffers.empty()) restore_all(captured);
  // Until the change is complete, nothing is known of it.
  captured.has_other_changes = true;
  VYRE_TRY(change_all_params(captured, changes.params, programs));
  if (!changes.buffers.empty()) VYRE_TRY(change_buffers(captured, changes.buffers, buffers, programs, planner));
  captured.has_other_changes = !changes.buffers.empty();
  captured.changed.gathered_at = number;
  captured.changed.planned_as = changes.buffers.empty() ? captured.batch.gathered_at : 0;
  return &captured.changed;
}

Result<void> Captures::check_bytes(const CapturedBatch& captured, std::span<const CaptureBytes> bytes) {
  for (const CaptureBytes& each : bytes) {
    const auto has = [&](bool is_write) {
      return std::ranges::any_of(captured.transfers, [&](const CapturedTransfer& transfer) {
        return transfer.is_write == is_write && transfer.view == each.view;
      });
    };
    const auto check = [&](bool is_write, std::size_t size, std::string_view what) -> Result<void> {
      if (size == 0) return {};
      if (!has(is_write))
        return invalid(fmt::format("the capture does not {} the view that host memory is given for", what));
      if (size == each.view.size) return {};
      return invalid(fmt::format("{} bytes of host memory are given for a view of {} that the capture {}s", size,
                                 each.view.size, what));
    };
    if (each.from.empty() && each.to.empty()) return invalid("no host memory is given for a view of the capture");
    VYRE_TRY(check(true, each.from.size(), "write"));
    VYRE_TRY(check(false, each.to.size(), "read"));
  }
  return {};
}

void Captures::forget_buffer(std::uint32_t buffer) {
  for (std::unique_ptr<CapturedBatch>& each : captures_) {
    if (each != nullptr && std::ranges::binary_search(each->buffers, buffer)) each.reset();
  }
}

bool Captures::needs_program(std::uint32_t program) const noexcept {
  return std::ranges::any_of(captures_, [&](const std::unique_ptr<CapturedBatch>& each) {
    return each != nullptr && program < each->batch.dispatches.size() && each->batch.dispatches[program] > 0;
  });
}

}  // namespace vyre::runtime
