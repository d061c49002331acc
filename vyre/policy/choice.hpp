#pragma once

#include <type_traits>
#include <variant>

#include <vyre/base/u128.hpp>

/// Choosing without branches.
///
/// Over a mixed stream of batches verdicts do not predict, and a mispredicted branch costs more than the arithmetic of
/// any decision.
namespace vyre::policy::detail {

/// What the better of two ways saves over the plain one; `ns` means nothing unless it pays.
struct Savings {
  bool pays = false;
  u128 ns = 0;
};

/// The verdict of savings: `Better` if it pays, the plain verdict (the variant's first alternative) if not.
template <typename Decision, typename Better>
[[nodiscard]] constexpr Decision verdict(const Savings& savings) noexcept {
  if (std::is_constant_evaluated()) return savings.pays ? Decision{Better{savings.ns}} : Decision{};
  // The better verdict with its index taken back is one conditional byte; choosing between two variants is a jump.
  Decision decision{Better{savings.ns}};
  if (!savings.pays) decision.template emplace<0>();
  return decision;
}

}  // namespace vyre::policy::detail
