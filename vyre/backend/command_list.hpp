#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <vyre/backend/handle.hpp>

namespace vyre::backend {

inline constexpr std::uint64_t kWholeBuffer = ~std::uint64_t{0};

/// A range of bytes of a buffer.
struct BufferRange {
  BufferHandle buffer = {};
  std::uint64_t offset = 0;
  std::uint64_t size = kWholeBuffer;  ///< `kWholeBuffer` reaches to the end.

  friend bool operator==(const BufferRange&, const BufferRange&) = default;
};

/// The range of a binding that a kernel does not need and a dispatch leaves out.
inline constexpr BufferRange kNoRange{.buffer = {}, .offset = 0, .size = 0};

/// Whether a range names no buffer.
[[nodiscard]] constexpr bool is_left_out(const BufferRange& range) noexcept { return range.buffer.generation == 0; }

/// Whether two ranges of one buffer share a byte.
[[nodiscard]] constexpr bool overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b,
                                     std::uint64_t b_size) noexcept {
  return a < b + b_size && b < a + a_size;
}

/// Whether two spans have the same bytes. Faster than the standard library's comparison, which compares one `std::byte`
/// after another.
template <typename T>
  requires std::has_unique_object_representations_v<T>
[[nodiscard]] bool are_same_bytes(std::span<const T> a, std::span<const T> b) noexcept {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

using Groups = std::array<std::uint32_t, 3>;

struct Dispatch {
  PipelineHandle pipeline = {};
  Groups groups = {1, 1, 1};
  std::uint32_t first_range = 0;  ///< The index of its first range in the list.
  std::uint32_t range_count = 0;
  std::uint32_t first_param = 0;  ///< The index of its first parameter byte in the list.
  std::uint32_t param_bytes = 0;

  friend bool operator==(const Dispatch&, const Dispatch&) = default;
};

/// A dispatch that reads its workgroup counts, three words, from a buffer when it runs. Only `vyre/lowering` makes such
/// commands.
struct IndirectDispatch {
  PipelineHandle pipeline = {};
  BufferHandle groups = {};
  std::uint64_t offset = 0;
  std::uint32_t first_param = 0;
  std::uint32_t param_bytes = 0;

  friend bool operator==(const IndirectDispatch&, const IndirectDispatch&) = default;
};

struct Copy {
  BufferHandle from = {};
  BufferHandle to = {};
  std::uint64_t from_offset = 0;
  std::uint64_t to_offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const Copy&, const Copy&) = default;
};

struct Fill {
  BufferRange range = {};
  std::uint32_t pattern = 0;

  friend bool operator==(const Fill&, const Fill&) = default;
};

struct Barrier {
  friend bool operator==(const Barrier&, const Barrier&) = default;
};

struct Timestamp {
  BufferHandle buffer = {};
  std::uint64_t offset = 0;

  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

/// Whether the range of a fill suits its pattern: a pattern of four equal bytes can begin and end anywhere, any other
/// one only at multiples of four.
[[nodiscard]] constexpr bool can_fill(std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) noexcept {
  return pattern == (pattern & 0xff) * 0x0101'0101U || (offset % 4 == 0 && size % 4 == 0);
}

using Command = std::variant<Dispatch, Copy, Fill, Barrier, Timestamp, IndirectDispatch>;

/// An allocator with which a vector does not set new elements to zero. For bytes that are written right after they were
/// added: it saves a call of `memset` in every dispatch.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
  template <typename Other>
  struct rebind {
    using other = UnsetAllocator<Other>;
  };
  template <typename Element>
  void construct(Element* element) noexcept {
    ::new (static_cast<void*>(element)) Element;
  }
  template <typename Element, typename... Args>
  void construct(Element* element, Args&&... args) noexcept {
    ::new (static_cast<void*>(element)) Element(std::forward<Args>(args)...);
  }
};

/// The commands of one submission. A value, which knows nothing of Vulkan or another API. `Device` refuses mistakes in
/// it when it is submitted or recorded.
///
/// Commands between two barriers may run in any order and at once. Neighbouring dispatches of one pipeline in the
/// merged or persistent form become one launch. Dispatches of one pipeline in the chain form become one launch also
/// across barriers, and run in order. `clear` keeps the memory, so that adding commands allocates only if the list
/// becomes larger than it has ever been.
class CommandList {
 public:
  /// Runs a kernel. `ranges` are sorted like the program's bindings: by set, slot, and index in an array of buffers.
  /// `params` are all bytes of the push-constant block.
  void dispatch(PipelineHandle pipeline, std::span<const BufferRange> ranges, Groups groups,
                std::span<const std::byte> params = {}) {
    commands_.emplace_back(Dispatch{.pipeline = pipeline,
                                    .groups = groups,
                                    .first_range = static_cast<std::uint32_t>(ranges_.size()),
                                    .range_count = static_cast<std::uint32_t>(ranges.size()),
                                    .first_param = static_cast<std::uint32_t>(params_.size()),
                                    .param_bytes = static_cast<std::uint32_t>(params.size())});
    append(ranges_, ranges);
    append(params_, params);
  }

  /// Adds `count` dispatches, each with `range_count` ranges and `param_bytes` bytes of parameters.
  /// `fill(i, dispatch, ranges, params)` sets the pipeline and workgroups of dispatch i, its ranges, and all bytes of
  /// its parameters.
  template <typename Fill>
  void dispatch_many(std::size_t count, std::size_t range_count, std::size_t param_bytes, Fill fill) {
    std::size_t range = ranges_.size();
    std::size_t param = params_.size();
    commands_.reserve(commands_.size() + count);
    ranges_.resize(range + count * range_count);
    params_.resize(param + count * param_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      Dispatch dispatch{.first_range = static_cast<std::uint32_t>(range),
                        .range_count = static_cast<std::uint32_t>(range_count),
                        .first_param = static_cast<std::uint32_t>(param),
                        .param_bytes = static_cast<std::uint32_t>(param_bytes)};
      fill(i, dispatch, std::span{ranges_}.subspan(range, range_count), std::span{params_}.subspan(param, param_bytes));
      commands_.emplace_back(dispatch);
      range += range_count;
      param += param_bytes;
    }
  }

  void dispatch_indirect(PipelineHandle pipeline, BufferHandle groups, std::uint64_t offset,
                         std::span<const std::byte> params) {
    commands_.emplace_back(IndirectDispatch{.pipeline = pipeline,
                                            .groups = groups,
                                            .offset = offset,
                                            .first_param = static_cast<std::uint32_t>(params_.size()),
                                            .param_bytes = static_cast<std::uint32_t>(params.size())});
    append(params_, params);
  }

  /// Copies `size` bytes. Offsets and size need no alignment. Source and destination may not overlap.
  void copy(BufferHandle from, std::uint64_t from_offset, BufferHandle to, std::uint64_t to_offset,
            std::uint64_t size) {
    commands_.emplace_back(
        Copy{.from = from, .to = to, .from_offset = from_offset, .to_offset = to_offset, .size = size});
  }

  /// Fills a range with the four bytes of `pattern`, the lowest byte first. If offset or size is not a multiple of
  /// four, the four bytes must be equal.
  void fill(const BufferRange& range, std::uint32_t pattern) {
    commands_.emplace_back(Fill{.range = range, .pattern = pattern});
  }

  /// Commands before the barrier are done, and their writes visible, before any command after it begins.
  void barrier() { commands_.emplace_back(Barrier{}); }

  /// Writes the device's time in ticks, 8 bytes, once all commands before it are done. `offset` is a multiple of 8.
  void timestamp(BufferHandle buffer, std::uint64_t offset) {
    commands_.emplace_back(Timestamp{.buffer = buffer, .offset = offset});
  }

  /// Adds a command of another list.
  void append(const CommandList& from, const Command& command) {
    if (const auto* each = std::get_if<Dispatch>(&command)) {
      dispatch(each->pipeline, from.ranges(*each), each->groups, from.params(*each));
    } else {
      commands_.push_back(command);
    }
  }

  void clear() noexcept {
    commands_.clear();
    ranges_.clear();
    params_.clear();
  }

  [[nodiscard]] std::span<const Command> commands() const noexcept { return commands_; }
  [[nodiscard]] std::span<const BufferRange> ranges(const Dispatch& dispatch) const noexcept {
    return std::span{ranges_}.subspan(dispatch.first_range, dispatch.range_count);
  }
  [[nodiscard]] std::span<const std::byte> params(const Dispatch& dispatch) const noexcept {
    return std::span{params_}.subspan(dispatch.first_param, dispatch.param_bytes);
  }
  [[nodiscard]] std::span<const std::byte> params(const IndirectDispatch& dispatch) const noexcept {
    return std::span{params_}.subspan(dispatch.first_param, dispatch.param_bytes);
  }

  /// The bytes of its parameters, to be changed in place.
  [[nodiscard]] std::span<std::byte> params(const Dispatch& dispatch) noexcept {
    return std::span{params_}.subspan(dispatch.first_param, dispatch.param_bytes);
  }
  /// Replaces the pipeline of the dispatch at `index` by another one of the same program.
  void set_pipeline(std::size_t index, PipelineHandle pipeline) {
    std::get<Dispatch>(commands_[index]).pipeline = pipeline;
  }
  /// Replaces every buffer by `name(buffer)`.
  template <typename Name>
  void rename_buffers(Name name) {
    for (BufferRange& range : ranges_) range.buffer = name(range.buffer);
    for (Command& command : commands_) {
      if (auto* copy = std::get_if<Copy>(&command)) {
        copy->from = name(copy->from);
        copy->to = name(copy->to);
      } else if (auto* fill = std::get_if<Fill>(&command)) {
        fill->range.buffer = name(fill->range.buffer);
      }
    }
  }
  /// The size of the list's contents in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return commands_.size() * sizeof(Command) + ranges_.size() * sizeof(BufferRange) + params_.size();
  }

  friend bool operator==(const CommandList& a, const CommandList& b) noexcept;

 private:
  /// Does the same as `insert` at the end, in fewer instructions: every dispatch calls this.
  template <typename T, typename Allocator>
  static void append(std::vector<T, Allocator>& all, std::type_identity_t<std::span<const T>> more) {
    if (more.empty()) return;
    const std::size_t before = all.size();
    all.resize(before + more.size());
    std::memcpy(all.data() + before, more.data(), more.size_bytes());
  }

  std::vector<Command> commands_;
  std::vector<BufferRange> ranges_;
  std::vector<std::byte, UnsetAllocator<std::byte>> params_;
};

/// Whether a recording of `from` can run `to` after its table was rewritten: gives the first command for which it
/// cannot, nothing if it can run all of them.
///
/// The table holds the buffers, parameters and workgroup counts of all dispatches but those whose pipeline `is_fixed`.
template <typename IsFixed>
[[nodiscard]] std::optional<std::size_t> find_change(const CommandList& from, const CommandList& to, IsFixed is_fixed) {
  const std::span<const Command> before = from.commands();
  const std::span<const Command> after = to.commands();
  const std::size_t count = std::min(before.size(), after.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto* was = std::get_if<Dispatch>(&before[i]);
    const auto* is = std::get_if<Dispatch>(&after[i]);
    if (was == nullptr || is == nullptr) {
      if (before[i] != after[i]) return i;
      continue;
    }
    if (was->pipeline != is->pipeline) return i;
    if (!is_fixed(is->pipeline)) continue;
    if (was->groups != is->groups || !are_same_bytes(from.ranges(*was), to.ranges(*is)) ||
        !are_same_bytes(from.params(*was), to.params(*is))) {
      return i;
    }
  }
  return before.size() == after.size() ? std::nullopt : std::optional{count};
}

/// Whether the dispatches of two lists have the same workgroup counts. Precondition: `find_change` gives nothing for
/// the lists.
[[nodiscard]] bool have_same_groups(const CommandList& a, const CommandList& b) noexcept;

/// The buffers and pipelines that a list names, each once, sorted.
struct ListNames {
  std::vector<BufferHandle> buffers = {};
  std::vector<PipelineHandle> pipelines = {};

  friend bool operator==(const ListNames&, const ListNames&) = default;
};

[[nodiscard]] ListNames names_of(const CommandList& list);

}  // namespace vyre::backend
