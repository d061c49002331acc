#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "cli/job/element.hpp"

namespace vyre::cli::job {

/// The rule by which two elements count as equal.
struct Tolerance {
  bool is_close = false;  ///< Whether values may differ within the tolerances.
  double rtol = 0;        ///< The tolerance as a share of the expected value.
  double atol = 0;
  bool is_bytewise = false;  ///< Whether every bit must be the same.
};

/// Compares two arrays, piece by piece. Two NaN count as equal.
class Comparison {
 public:
  /// The types may differ, but either both or none must be complex.
  Comparison(ElementType type, ElementType expected_type, Tolerance tolerance) noexcept
      : type_{type}, expected_type_{expected_type}, tolerance_{tolerance} {}

  /// Compares the next elements. Both spans have the same number of them.
  void add(std::span<const std::byte> found, std::span<const std::byte> expected);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t different() const noexcept { return different_; }
  [[nodiscard]] std::uint64_t first_index() const noexcept { return first_index_; }
  [[nodiscard]] const std::string& first_found() const noexcept { return first_found_; }
  [[nodiscard]] const std::string& first_expected() const noexcept { return first_expected_; }
  /// `element [3, 4] is 1.5, expected is 1.25; 17 of 65536 differ`
  [[nodiscard]] std::string describe(const Shape& shape) const;

 private:
  [[nodiscard]] bool is_same(std::span<const std::byte> found, std::span<const std::byte> expected) const noexcept;

  ElementType type_;
  ElementType expected_type_;
  Tolerance tolerance_;
  std::uint64_t count_ = 0;
  std::uint64_t different_ = 0;
  std::uint64_t first_index_ = 0;
  std::string first_found_ = {};
  std::string first_expected_ = {};
};

}  // namespace vyre::cli::job
