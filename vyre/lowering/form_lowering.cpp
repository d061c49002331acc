#include <vyre/lowering/form_lowering.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <vyre/backend/form_limits.hpp>
#include <vyre/program/saturating.hpp>

namespace vyre::lowering {
namespace {

using backend::Barrier;
using backend::BufferEntry;
using backend::BufferRange;
using backend::Command;
using backend::CommandList;
using backend::DeviceInfo;
using backend::Dispatch;
using backend::FormRules;
using backend::FormSupport;
using backend::group_count;
using backend::Groups;
using backend::Limits;
using backend::ListView;
using backend::PipelineEntry;
using backend::PipelineHandle;
using program::FormKind;
using program::MapEntry;
using program::RecordLayout;
using program::Root;
using program::saturating_add;
using program::saturating_mul;

std::uint64_t round_up(std::uint64_t bytes) noexcept {
  return (bytes + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
}

/// The entry of a binding that a dispatch leaves out: no bytes.
struct LeftOut {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t length = 0;
};

class Lowering {
 public:
  Lowering(const ListView& view, const DeviceInfo& info, const TablePlace& place, CommandList& lowered) noexcept
      : view_{view}, info_{info}, place_{place}, lowered_{lowered} {}

  Result<std::uint64_t> run() {
    const std::span<const Command> commands = view_.list.commands();
    const auto is_barrier = [&](std::size_t at) { return std::holds_alternative<Barrier>(commands[at]); };
    for (std::size_t i = 0; i < commands.size();) {
      const auto* first = std::get_if<Dispatch>(&commands[i]);
      const PipelineEntry* pipeline = first == nullptr ? nullptr : &view_.pipelines.at(first->pipeline);
      if (first == nullptr || pipeline->form.kind == FormKind::Descriptor) {
        if (!place_.launches_only) lowered_.append(view_.list, commands[i]);
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      bool has_barriers = false;  // Whether there is a barrier between the launch's first dispatch and its last.
      if (is_one_launch(pipeline->form.kind)) {
        const auto is_alike = [&](const Command& command) {
          const auto* dispatch = std::get_if<Dispatch>(&command);
          return dispatch != nullptr && dispatch->pipeline == first->pipeline;
        };
        // A chain may go on across barriers: within the launch, each dispatch waits for the one before anyway.
        const bool is_chain = pipeline->form.kind == FormKind::Chain;
        for (std::size_t next = end; next < commands.size(); ++next) {
          if (is_alike(commands[next])) {
            has_barriers |= next > end;
            end = next + 1;
          } else if (!is_chain || !is_barrier(next)) {
            break;
          }
        }
      }
      // The launch has dispatches of several waves, so it must not overlap with other commands of these waves: those of
      // its first wave must run before its last dispatch, and its first dispatch before those of its last wave.
      if (has_barriers && i > 0 && !is_barrier(i - 1)) barrier();
      VYRE_TRY(launch(*first, *pipeline, commands.subspan(i, end - i)));
      if (has_barriers && end < commands.size() && !is_barrier(end)) barrier();
      i = end;
    }
    return std::max(used_, kTableAlignment);  // At least some bytes, because a copy of the table must not be empty.
  }

 private:
  Result<void> launch(const Dispatch& first, const PipelineEntry& pipeline, std::span<const Command> items) {
    pipeline_ = &pipeline;
    handle_ = first.pipeline;
    records_ = used_;
    if (pipeline.form.kind == FormKind::Pointer) {
      const std::uint64_t groups = used_;  // The offset of the workgroup count, with which a record begins.
      write_record(first);
      if (!place_.launches_only) dispatch(first.groups, groups, root(1));
      return {};
    }
    // Dispatches of no workgroups do nothing, so they get no record.
    items_ = 0;
    for (const Command& item : items) {
      const auto* each = std::get_if<Dispatch>(&item);
      if (each == nullptr || group_count(each->groups) == 0) continue;
      write_record(*each);
      ++items_;
    }
    if (items_ == 0) {
      // A dispatch of no workgroups all the same, for drivers that compile at the first dispatch.
      dispatch_apart({0, 0, 0}, root(0));
      return {};
    }
    switch (pipeline.form.kind) {
      case FormKind::Merged: return merged(items);
      case FormKind::Persistent: return persistent(items);
      default: return chain(items);
    }
  }

  void barrier() {
    if (!place_.launches_only) lowered_.barrier();
  }

  template <typename T>
  void put(std::uint64_t offset, const T& value) noexcept {
    std::memcpy(place_.memory.data() + offset, &value, sizeof(T));
  }

  void write_record(const Dispatch& dispatch) noexcept {
    const RecordLayout& layout = pipeline_->form.record;
    const std::uint64_t begin = used_;
    const std::uint32_t groups[4] = {dispatch.groups[0], dispatch.groups[1], dispatch.groups[2], 0};
    put(begin, groups);
    const std::span<const BufferRange> ranges = view_.list.ranges(dispatch);
    std::uint64_t at = begin + RecordLayout::kEntriesOffset;
    for (const program::RecordEntry& entry : layout.entries) {
      const BufferRange& range = ranges[entry.range];
      if (backend::is_left_out(range)) [[unlikely]] {
        put(at, LeftOut{.address = place_.scratch});
        at += RecordLayout::kEntryBytes;
        continue;
      }
      const BufferEntry& buffer = view_.buffers.at(range.buffer);
      const auto size = static_cast<std::uint32_t>(range.size == backend::kWholeBuffer ? buffer.desc.size - range.offset
                                                                                       : range.size);
      struct {
        std::uint64_t address;
        std::uint32_t bytes;
        std::uint32_t length;
      } value{.address = buffer.object->address + range.offset, .bytes = size, .length = length(entry, size)};
      // A robust form loads element 0 instead of an element outside. If the array is all of the buffer and has no
      // element, that load goes to scratch memory.
      if (value.length == 0 && entry.array_stride != 0 && entry.array_offset == 0) value.address = place_.scratch;
      put(at, value);
      at += RecordLayout::kEntryBytes;
    }
    const std::span<const std::byte> params = view_.list.params(dispatch);
    if (!params.empty()) {
      std::memcpy(place_.memory.data() + begin + layout.params_offset, params.data(), params.size());
    }
    used_ += layout.stride;
  }

  static std::uint32_t length(const program::RecordEntry& entry, std::uint32_t bytes) noexcept {
    if (entry.array_stride == 0 || bytes < entry.array_offset) return 0;
    const std::uint32_t rest = bytes - entry.array_offset;
    return entry.array_stride == 4 ? rest / 4 : rest / entry.array_stride;
  }

  [[nodiscard]] Root root(std::uint32_t count, std::uint32_t first = 0) const noexcept {
    return {.records = place_.address + records_, .scratch = place_.scratch, .first = first, .count = count};
  }

  /// Appends a dispatch. Its workgroup count is part of the command, or if it may change, lies at `offset` of the
  /// table.
  void dispatch(const Groups& groups, std::uint64_t offset, const Root& root) {
    const std::span<const std::byte> params = std::as_bytes(std::span{&root, 1});
    if (place_.indirect) {
      lowered_.dispatch_indirect(handle_, place_.buffer, offset, params);
    } else {
      lowered_.dispatch(handle_, {}, groups, params);
    }
  }

  /// Appends a dispatch after adding its workgroup count to the table.
  void dispatch_apart(const Groups& groups, const Root& root) {
    const std::uint64_t offset = used_;
    if (place_.indirect) {
      put(offset, groups);
      used_ += kTableAlignment;
    }
    dispatch(groups, offset, root);
  }

  Result<void> merged(std::span<const Command> items) {
    const Limits& limits = info_.limits;
    std::uint32_t index = 0;
    std::uint32_t mapped = 0;  // The number of items just before this one that will share a map.
    if (backend::depends_on_params(pipeline_->form, info_.forms)) {
      for (const Command& item : items) VYRE_TRY(check_merged(std::get<Dispatch>(item)));
    }
    const auto at = [&](std::size_t i) -> const Groups& { return std::get<Dispatch>(items[i]).groups; };
    std::size_t map_first = 0;
    const auto flush = [&](std::size_t end) {
      if (mapped > 0) map(items.subspan(map_first, end - map_first), index - mapped, mapped);
      mapped = 0;
    };
    for (std::size_t i = 0; i < items.size();) {
      const Groups& groups = at(i);
      if (group_count(groups) == 0) {
        ++i;
        continue;
      }
      // Equal dispatches with one workgroup in the third dimension become a grid: if there are at least `kFewest`, if
      // the launch has no others, or if they are too large for a map.
      std::size_t end = i;
      std::uint32_t count = 0;
      while (end < items.size() && (at(end) == groups || group_count(at(end)) == 0)) {
        count += group_count(at(end)) == 0 ? 0U : 1U;
        ++end;
      }
      constexpr std::uint32_t kFewest = 8;
      const bool is_grid = backend::fits_grid(groups) &&
                           (count >= kFewest || count == items_ || group_count(groups) > backend::kMostMapped);
      if (!is_grid) {
        if (mapped == 0) map_first = i;
        mapped += count;
        index += count;
        i = end;
        continue;
      }
      flush(i);
      for (std::uint32_t done = 0; done < count;) {
        const std::uint32_t part = std::min(count - done, limits.max_groups[2]);
        dispatch_apart({groups[0], groups[1], part}, root(part, index + done));
        done += part;
      }
      index += count;
      i = end;
    }
    flush(items.size());
    return {};
  }

  /// Appends one launch of dispatches of different sizes. Every workgroup looks up in a map which dispatch it belongs
  /// to.
  void map(std::span<const Command> items, std::uint32_t first, std::uint32_t count) {
    const std::uint64_t begin = used_;
    std::uint64_t total = 0;
    std::uint32_t record = 0;
    for (const Command& item : items) {
      const Groups& groups = std::get<Dispatch>(item).groups;
      if (group_count(groups) == 0) continue;
      for (std::uint32_t z = 0; z < groups[2]; ++z) {
        for (std::uint32_t y = 0; y < groups[1]; ++y) {
          for (std::uint32_t x = 0; x < groups[0]; ++x) {
            put(used_, MapEntry{.record = record, .x = x, .y = y, .z = z});
            used_ += sizeof(MapEntry);
            ++total;
          }
        }
      }
      ++record;
    }
    used_ = round_up(used_);
    const auto row = static_cast<std::uint32_t>(std::min<std::uint64_t>(total, info_.limits.max_groups[0]));
    Root given = root(count, first);
    given.map = place_.address + begin;
    given.row = row;
    given.total = static_cast<std::uint32_t>(total);
    dispatch_apart({row, static_cast<std::uint32_t>((total + row - 1) / row), 1}, given);
  }

  Result<void> persistent(std::span<const Command> items) {
    const FormSupport& support = info_.forms;
    // A workgroup runs several items; the most work it can have is their number times the longest item.
    backend::Turn longest;
    for (const Command& item : items) {
      VYRE_ASSIGN(const backend::Turn turn, checked_turn(std::get<Dispatch>(item)));
      longest.groups = std::max(longest.groups, turn.groups);
      longest.iterations = std::max(longest.iterations, turn.iterations);
    }
    const auto is_too_long = [&](std::uint32_t stride) {
      const std::uint64_t share = (items_ + stride - 1) / stride;
      return !backend::fits_turn(
          {.groups = saturating_mul(share, longest.groups), .iterations = saturating_mul(share, longest.iterations)},
          support);
    };
    std::uint32_t workgroups = std::clamp(support.workgroups, 1U, items_);
    while (is_too_long(workgroups)) workgroups = workgroups > items_ / 2 ? items_ : workgroups * 2;
    // If a grid cannot hold all workgroups, there are several launches.
    const std::uint32_t share = (items_ + workgroups - 1) / workgroups;
    const std::uint64_t most = std::uint64_t{share} * info_.limits.max_groups[0];
    for (std::uint32_t first = 0; first < items_;) {
      const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(items_ - first, most));
      Root given = root(part, first);
      given.row = share;
      dispatch_apart({(part + share - 1) / share, 1, 1}, given);
      first += part;
    }
    return {};
  }

  /// Appends launches that run the items in order, each launch as many of them as one workgroup may run.
  Result<void> chain(std::span<const Command> items) {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    backend::Turn turn;
    const auto launch_part = [&] {
      if (first > 0) barrier();
      Root given = root(end - first, first);
      given.row = end - first;
      dispatch_apart({1, 1, 1}, given);
      first = end;
      turn = {};
    };
    for (const Command& item : items) {
      const auto* each = std::get_if<Dispatch>(&item);
      if (each == nullptr || group_count(each->groups) == 0) continue;
      VYRE_ASSIGN(const backend::Turn more, checked_turn(*each));
      if (end > first && !backend::fits_turn(add(turn, more), info_.forms)) launch_part();
      turn = add(turn, more);
      ++end;
    }
    launch_part();
    return {};
  }

  [[nodiscard]] program::DispatchFacts facts_of(const Dispatch& item) const noexcept {
    return {.params = view_.list.params(item), .groups = item.groups};
  }

  /// The turn of an item. `InvalidArgument` if one workgroup of the launch may not run it.
  [[nodiscard]] Result<backend::Turn> checked_turn(const Dispatch& item) const {
    const backend::Turn turn = backend::turn_of(pipeline_->form, facts_of(item), info_.forms);
    if (backend::fits_turn(turn, info_.forms)) return turn;
    const bool has_too_many = turn.groups > info_.forms.turn_groups;
    return too_long(has_too_many ? "has" : "makes",
                    has_too_many ? fmt::format("{} workgroups", turn.groups) : iterations_text(turn.iterations),
                    has_too_many ? info_.forms.turn_groups : info_.forms.max_iterations);
  }

  /// `InvalidArgument` for an item of a merged launch in which an invocation stands for too many of the kernel.
  [[nodiscard]] Result<void> check_merged(const Dispatch& item) const {
    // Its size is no reason to refuse it: another form would only be better.
    const program::DispatchFacts facts = facts_of(item);
    if (backend::fits_iterations(pipeline_->form, facts, info_.forms)) return {};
    return too_long("makes", iterations_text(program::evaluate(pipeline_->form.iterations, facts)),
                    info_.forms.max_iterations / pipeline_->form.folded);
  }

  [[nodiscard]] std::unexpected<Error> too_long(std::string_view does, std::string_view what,
                                                std::uint64_t limit) const {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("an item of the {} launch of '{}' {} {}, the device's limit is {}",
                            to_string(pipeline_->form.kind), pipeline_->program.name(), does, what, limit));
  }

  [[nodiscard]] static std::string iterations_text(std::uint64_t iterations) {
    return iterations == program::kUnbounded ? "any number of iterations" : fmt::format("{} iterations", iterations);
  }

  const ListView& view_;
  const DeviceInfo& info_;
  const TablePlace& place_;
  CommandList& lowered_;
  const PipelineEntry* pipeline_ = nullptr;
  PipelineHandle handle_ = {};
  std::uint64_t used_ = 0;     // The bytes of the table that are written so far.
  std::uint64_t records_ = 0;  // The offset of the first record of the current launch.
  std::uint32_t items_ = 0;
};

}  // namespace

std::uint64_t table_bytes(const ListView& view) noexcept {
  std::uint64_t bytes = kTableAlignment;
  for (const Command& command : view.list.commands()) {
    const auto* dispatch = std::get_if<Dispatch>(&command);
    if (dispatch == nullptr) continue;
    const FormRules& form = view.pipelines.at(dispatch->pipeline).form;
    if (form.kind == FormKind::Descriptor) continue;
    // A record, and at most one workgroup count for it; if it may be in a map, also an entry for each workgroup.
    bytes += form.record.stride + kTableAlignment;
    const std::uint64_t groups = group_count(dispatch->groups);
    if (form.kind == FormKind::Merged && (groups <= backend::kMostMapped || !backend::fits_grid(dispatch->groups))) {
      bytes = saturating_add(bytes, saturating_mul(groups, sizeof(MapEntry)) + kTableAlignment);
    }
  }
  return bytes;
}

Result<std::uint64_t> lower(const ListView& view, const DeviceInfo& info, const TablePlace& place,
                            CommandList& lowered) {
  return Lowering{view, info, place, lowered}.run();
}

}  // namespace vyre::lowering
