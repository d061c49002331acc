#include <vyre/backend/command_list.hpp>

#include <algorithm>

namespace vyre::backend {
namespace {

template <typename T>
void keep_each_once(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

bool are_alike(const Command& a, const Command& b) noexcept {
  const auto* first = std::get_if<Dispatch>(&a);
  const auto* second = std::get_if<Dispatch>(&b);
  if (first != nullptr && second != nullptr) [[likely]]
    return *first == *second;
  return a == b;
}

}  // namespace

bool operator==(const CommandList& a, const CommandList& b) noexcept {
  return are_same_bytes(std::span{a.ranges_}, std::span{b.ranges_}) &&
         are_same_bytes(std::span{a.params_}, std::span{b.params_}) &&
         std::ranges::equal(a.commands_, b.commands_, are_alike);
}

bool have_same_groups(const CommandList& a, const CommandList& b) noexcept {
  return std::ranges::equal(a.commands(), b.commands(), [](const Command& first, const Command& second) {
    const auto* one = std::get_if<Dispatch>(&first);
    const auto* other = std::get_if<Dispatch>(&second);
    return one == nullptr || other == nullptr || one->groups == other->groups;
  });
}

ListNames names_of(const CommandList& list) {
  ListNames names;
  for (const Command& command : list.commands()) {
    if (const auto* dispatch = std::get_if<Dispatch>(&command)) {
      names.pipelines.push_back(dispatch->pipeline);
      for (const BufferRange& range : list.ranges(*dispatch)) {
        if (!is_left_out(range)) names.buffers.push_back(range.buffer);
      }
    } else if (const auto* indirect = std::get_if<IndirectDispatch>(&command)) {
      names.pipelines.push_back(indirect->pipeline);
      names.buffers.push_back(indirect->groups);
    } else if (const auto* copy = std::get_if<Copy>(&command)) {
      names.buffers.insert(names.buffers.end(), {copy->from, copy->to});
    } else if (const auto* fill = std::get_if<Fill>(&command)) {
      names.buffers.push_back(fill->range.buffer);
    } else if (const auto* timestamp = std::get_if<Timestamp>(&command)) {
      names.buffers.push_back(timestamp->buffer);
    }
  }
  keep_each_once(names.buffers);
  keep_each_once(names.pipelines);
  return names;
}

}  // namespace vyre::backend
