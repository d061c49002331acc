#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/program/spirv/module.hpp>

namespace vyre::program::spirv {

/// The control flow of a function: edges between blocks, and dominators. Blocks are named by their index in the
/// function.
class ControlFlow {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  /// Both must outlive this.
  ControlFlow(const Module& module, const Function& function);

  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t block) const { return successors_.of(block); }
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t block) const {
    return predecessors_.of(block);
  }
  /// The block of a label, or `kNone`.
  [[nodiscard]] std::uint32_t block_of_label(Id label) const;
  /// The block that holds an instruction, by the instruction's index, or `kNone`.
  [[nodiscard]] std::uint32_t block_of_instruction(std::size_t index) const;
  /// The closest dominator of a block. That of the entry is itself; an unreachable block has `kNone`.
  [[nodiscard]] std::uint32_t immediate_dominator(std::uint32_t block) const { return dominators_[block]; }
  /// Whether every path to `b` goes through `a`. A block dominates itself.
  [[nodiscard]] bool dominates(std::uint32_t a, std::uint32_t b) const;

 private:
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  /// A list of blocks for each block, all in one array.
  class Lists {
   public:
    Lists() = default;
    /// Adds the end of every edge to the list of its beginning, in order.
    Lists(std::size_t blocks, std::span<const Edge> edges);
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t block) const {
      return std::span{entries_}.subspan(first_[block], first_[block + 1] - first_[block]);
    }

   private:
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> entries_;
  };

  void add_edges(std::uint32_t block, std::vector<Edge>& edges) const;
  void find_dominators();
  void number_dominator_tree();

  const Module& module_;
  const Function& function_;
  Lists successors_;
  Lists predecessors_;
  std::vector<std::uint32_t> order_;  // The reachable blocks in postorder.
  std::vector<std::uint32_t> dominators_;
  std::vector<std::uint32_t> enter_;  // Order of entering and leaving a walk of the dominator tree: a dominates b
  std::vector<std::uint32_t> leave_;  // exactly if b's interval lies within a's.
};

}  // namespace vyre::program::spirv
