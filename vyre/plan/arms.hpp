#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <vyre/backend/command_list.hpp>
#include <vyre/plan/batch.hpp>

namespace vyre::plan {

/// Splits a batch into arms that can run on queues of their own: no buffer that one of them writes is touched by
/// another. Whole buffers count, not ranges. Memory is kept from one batch to the next.
class ArmSplitter {
 public:
  /// Fills `arms` with up to `max_arms` lists, operations in their order, about equally many in each. Gives their
  /// number; 1, and no list, if the batch hangs together.
  template <typename WritesOf>
  std::size_t split(const backend::CommandList& batch, std::size_t max_arms, std::vector<backend::CommandList>& arms,
                    WritesOf writes_of);

 private:
  struct Use {
    std::uint64_t epoch = 0;
    std::uint32_t first = 0;  // The first operation that touches the buffer.
    bool is_written = false;
  };

  [[nodiscard]] std::uint32_t root(std::uint32_t operation) noexcept;
  [[nodiscard]] Use& use(backend::BufferHandle buffer, std::uint32_t operation);
  std::size_t arrange(const backend::CommandList& batch, std::size_t max_arms, std::vector<backend::CommandList>& arms);

  std::uint64_t epoch_ = 0;
  std::vector<Use> uses_;               // By index of the buffer.
  std::vector<std::uint32_t> parents_;  // By operation: another one of its arm, or itself.
  std::vector<std::uint32_t> weights_;  // By operation: how many there are in the part it is the root of.
  std::vector<std::uint32_t> places_;   // By operation: the arm of the part it is the root of, plus one.
};

template <typename WritesOf>
std::size_t ArmSplitter::split(const backend::CommandList& batch, std::size_t max_arms,
                               std::vector<backend::CommandList>& arms, WritesOf writes_of) {
  ++epoch_;
  const auto commands = batch.commands();
  parents_.resize(commands.size());
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    parents_[i] = i;
    for_each_touch(batch, commands[i], writes_of,
                   [&](backend::BufferHandle buffer, std::uint64_t, std::uint64_t, bool writes) {
                     Use& found = use(buffer, i);
                     found.is_written = found.is_written || writes;
                   });
  }
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    for_each_touch(batch, commands[i], writes_of,
                   [&](backend::BufferHandle buffer, std::uint64_t, std::uint64_t, bool) {
                     const Use& found = use(buffer, i);
                     if (found.is_written) parents_[root(i)] = root(found.first);
                   });
  }
  return arrange(batch, max_arms, arms);
}

}  // namespace vyre::plan
