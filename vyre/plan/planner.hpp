#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/backend/command_list.hpp>
#include <vyre/plan/arms.hpp>
#include <vyre/plan/hazards.hpp>
#include <vyre/plan/plan.hpp>

namespace vyre::plan {

/// An operation as the planner sees it.
struct Operation {
  OperationKind kind = OperationKind::Dispatch;
  std::uint32_t program =
      0;  ///< The number of the program; dispatches of one program form a group. 0 for copies, fills.
  std::vector<Touch> touches = {};

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// Makes the plan of a batch. A batch that is run by its plan gives the same results as if all operations ran in order.
///
/// Memory is reused, so that a batch like the one before allocates nothing. Thread safety: one thread at a time.
class Planner {
 public:
  explicit Planner(const WaitRule& rule = WaitRule::ask()) : finder_{rule}, splitter_{rule} {}

  /// Begins another batch, which may have up to `max_arms` arms.
  void begin(std::size_t max_arms) noexcept;
  /// Adds an operation after all others. Each touch has at least one byte.
  void add(OperationKind kind, std::uint32_t program, std::span<const Touch> touches);
  /// The plan of the operations that were added. It is valid until the next `begin`.
  [[nodiscard]] const Plan& finish();

  /// Plans a list that has no barriers yet. The index of a dispatch's pipeline serves as the number of its program.
  /// `writes_of(pipeline)[i]` says whether a dispatch of that pipeline may write its range i.
  template <typename WritesOf>
  [[nodiscard]] const Plan& plan(const backend::CommandList& batch, std::size_t max_arms, WritesOf writes_of);

  /// Checks waves that were found for another list: `waves` has the wave of each operation. Gives the first operation
  /// that must wait for an earlier operation of its own wave or of a later wave. Nothing if there is none: then the
  /// waves give the same results as if all operations ran in order.
  template <typename WritesOf>
  [[nodiscard]] std::optional<std::uint32_t> find_conflict(const backend::CommandList& batch,
                                                           std::span<const std::uint32_t> waves, WritesOf writes_of);

 private:
  /// Where an operation goes in the plan. Operations are sorted by their places: by arm and wave, then by kind and
  /// program, then by index. Two numbers are packed into one, so that a comparison takes few instructions: planning
  /// compares a place for every operation.
  struct Place {
    std::uint64_t wave = 0;   // The arm in the upper half, the wave of that arm in the lower one.
    std::uint64_t group = 0;  // The kind in the upper half, the program in the lower one.
    std::uint32_t index = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };

  WaveFinder finder_;
  ArmSplitter splitter_;
  std::size_t max_arms_ = 1;
  std::vector<Place> places_;
  std::vector<Touch> touches_;
  Plan plan_;
};

/// Plans operations that are not commands of a list, for `vyre explain plan` and for tests.
[[nodiscard]] Plan make_plan(std::span<const Operation> operations, std::size_t max_arms = 1);

/// Calls `visit(touch)` for every range that a command touches. A binding that a dispatch leaves out is none.
template <typename WritesOf, typename Visit>
void for_each_touch(const backend::CommandList& list, const backend::Command& command, WritesOf writes_of,
                    Visit visit) {
  const auto touch = [&](backend::BufferHandle buffer, std::uint64_t offset, std::uint64_t size, bool writes) {
    visit(Touch{.buffer = buffer.index, .begin = offset, .end = offset + size, .writes = writes});
  };
  if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
    const auto& writes = writes_of(dispatch->pipeline);
    const std::span<const backend::BufferRange> ranges = list.ranges(*dispatch);
    // A dispatch of no workgroups touches nothing. Its ranges count all the same, because Vulkan's validation layers
    // count them.
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (backend::is_left_out(ranges[i])) [[unlikely]]
        continue;
      touch(ranges[i].buffer, ranges[i].offset, ranges[i].size, bool{writes[i]});
    }
  } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
    touch(copy->from, copy->from_offset, copy->size, false);
    touch(copy->to, copy->to_offset, copy->size, true);
  } else if (const auto* fill = std::get_if<backend::Fill>(&command)) {
    touch(fill->range.buffer, fill->range.offset, fill->range.size, true);
  }
}

template <typename WritesOf>
const Plan& Planner::plan(const backend::CommandList& batch, std::size_t max_arms, WritesOf writes_of) {
  begin(max_arms);
  for (const backend::Command& command : batch.commands()) {
    touches_.clear();
    for_each_touch(batch, command, writes_of, [&](const Touch& touch) { touches_.push_back(touch); });
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      add(OperationKind::Dispatch, dispatch->pipeline.index, touches_);
    } else {
      add(std::holds_alternative<backend::Copy>(command) ? OperationKind::Copy : OperationKind::Fill, 0, touches_);
    }
  }
  return finish();
}

template <typename WritesOf>
std::optional<std::uint32_t> Planner::find_conflict(const backend::CommandList& batch,
                                                    std::span<const std::uint32_t> waves, WritesOf writes_of) {
  finder_.clear();
  for (std::uint32_t i = 0; i < waves.size(); ++i) {
    touches_.clear();
    for_each_touch(batch, batch.commands()[i], writes_of, [&](const Touch& touch) { touches_.push_back(touch); });
    if (!finder_.add_to(waves[i], touches_)) return i;
  }
  return std::nullopt;
}

}  // namespace vyre::plan
