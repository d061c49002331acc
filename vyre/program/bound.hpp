#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <vyre/program/interface.hpp>

/// Bounds of counts that depend on a dispatch.
namespace vyre::program {

/// The value of a bound that holds for no number.
inline constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

/// The most nodes of a bound.
inline constexpr std::size_t kMostBoundNodes = 256;

/// The count for a dispatch, at most. Exact arithmetic on intervals: a counter that would wrap round, a division by
/// what may be zero, and parameters that are not given make it `kUnbounded`, never too small. Allocates nothing.
[[nodiscard]] std::uint64_t evaluate(const Bound& bound, const DispatchFacts& facts) noexcept;

/// The count if it is the same for all dispatches.
[[nodiscard]] std::optional<std::uint64_t> constant_of(const Bound& bound) noexcept;

/// `ceil(columns / 32)`, with the names of the parameters. `an expression of 40 parts` if it is too long to read.
[[nodiscard]] std::string to_text(const Bound& bound, const PushConstants* parameters);

/// Makes bounds node by node. Operations on constants become constants.
///
/// After some thousand nodes none is added, and `finish` gives nothing.
class BoundWriter {
 public:
  using Index = std::uint16_t;

  [[nodiscard]] Index constant(std::uint64_t bits, std::uint32_t width);
  /// Any value of a width.
  [[nodiscard]] Index any(std::uint32_t width);
  /// The parameter of a width that begins at a byte.
  [[nodiscard]] Index parameter(std::uint64_t offset, std::uint32_t width);
  /// The number of workgroups in a dimension.
  [[nodiscard]] Index groups(std::uint32_t dimension);
  /// 0 to `count` - 1, in 32 bits.
  [[nodiscard]] Index below(std::uint64_t count);
  /// 0 to the number of workgroups in a dimension times `each`, less 1.
  [[nodiscard]] Index below_groups(std::uint32_t dimension, std::uint64_t each);
  /// Any other node.
  [[nodiscard]] Index operation(BoundOp op, std::uint32_t width, std::array<Index, 3> operands,
                                std::uint64_t value = 0);

  [[nodiscard]] Index count(std::uint64_t value) { return constant(value, 64); }
  [[nodiscard]] Index sum(Index a, Index b);
  [[nodiscard]] Index product(Index a, Index b);
  [[nodiscard]] Index least(Index a, Index b);

  /// The value of a node that is a constant.
  [[nodiscard]] std::optional<std::uint64_t> constant_of(Index index) const noexcept;
  /// The bound that a count is. Nothing if there are too many nodes, or if it is `kUnbounded` or nearly so for all
  /// parameters that are tried.
  [[nodiscard]] std::optional<Bound> finish(Index index) const;

 private:
  [[nodiscard]] Index add(const BoundNode& node);
  [[nodiscard]] static bool bounds_something(const Bound& bound);

  static constexpr std::size_t kMostNodes = 16'384;

  std::vector<BoundNode> nodes_;
  std::unordered_map<std::uint64_t, Index> places_;  // Of nodes by a hash, so that equal ones are one.
  bool is_full_ = false;
};

}  // namespace vyre::program
