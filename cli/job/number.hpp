#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <vyre/base/error.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::cli::job {

__extension__ using i128 = __int128;

/// A number of a job. An integer is signed unless it is too large for that.
using Number = std::variant<bool, std::int64_t, std::uint64_t, double>;

/// The number as it is written in a job.
[[nodiscard]] std::string to_string(const Number& number);

/// The number as an integer; nothing if it is not whole (2.0 is) or too large.
[[nodiscard]] std::optional<i128> to_whole(const Number& number) noexcept;

/// The bits of a number after conversion to a type; a narrow type uses the low bits.
///
/// An integer must fit exactly, also if the type is a float; a fraction is rounded to the nearest float. Otherwise
/// `InvalidArgument`, with the number, `type_name` and the values that the type has.
[[nodiscard]] Result<std::uint64_t> to_bits(const Number& number, const program::ScalarType& type,
                                            std::string_view type_name);

/// The nearest float of 16, 32 or 64 bits, ties to even; infinite beyond the largest.
[[nodiscard]] std::uint64_t to_float_bits(double value, std::uint32_t bits) noexcept;

/// The nearest half, ties to even; infinite beyond the largest.
[[nodiscard]] std::uint16_t to_half(double value) noexcept;
[[nodiscard]] double from_half(std::uint16_t bits) noexcept;

}  // namespace vyre::cli::job
