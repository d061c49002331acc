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

}  // namespace

ListNames names_of(const CommandList& list) {
  ListNames names;
  for (const Command& command : list.commands()) {
    if (const auto* dispatch = std::get_if<Dispatch>(&command)) {
      names.pipelines.push_back(dispatch->pipeline);
      for (const BufferRange& range : list.ranges(*dispatch)) names.buffers.push_back(range.buffer);
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
