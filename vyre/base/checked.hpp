#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <string_view>

#include <vyre/base/error.hpp>
#include <vyre/base/u128.hpp>

namespace vyre {

/// What is being counted, for the message of a count that does not fit.
struct Counted {
  std::string_view table;   ///< "kernel argument table"
  std::string_view remedy;  ///< "record a smaller graph"
};

namespace detail {

template <std::unsigned_integral T>
[[nodiscard]] std::unexpected<Error> overflow(u128 left, char sign, u128 right, T limit, const Counted& of) {
  std::string message{of.table};
  message.append(" needs ").append(to_decimal(left)).append(1, ' ').append(1, sign).append(1, ' ');
  message.append(to_decimal(right)).append(" entries, the limit is ").append(to_decimal(limit));
  return fail(ErrorCode::InvalidArgument, message.append("; ").append(of.remedy));
}

}  // namespace detail

/// left + right, or `InvalidArgument` naming the table if it exceeds `limit`.
template <std::unsigned_integral T>
[[nodiscard]] Result<T> checked_add(T left, T right, const Counted& of, T limit = std::numeric_limits<T>::max()) {
  T sum{};
  if (__builtin_add_overflow(left, right, &sum) || sum > limit) {
    return detail::overflow(left, '+', right, limit, of);
  }
  return sum;
}

/// left × right, or `InvalidArgument` naming the table if it exceeds `limit`.
template <std::unsigned_integral T>
[[nodiscard]] Result<T> checked_mul(T left, T right, const Counted& of, T limit = std::numeric_limits<T>::max()) {
  T product{};
  if (__builtin_mul_overflow(left, right, &product) || product > limit) {
    return detail::overflow(left, '*', right, limit, of);
  }
  return product;
}

}  // namespace vyre
