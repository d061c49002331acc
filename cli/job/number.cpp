#include "cli/job/number.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <vyre/program/spirv/constants.hpp>

namespace vyre::cli::job {
namespace {

using program::ScalarKind;
using program::ScalarType;

std::unexpected<Error> refuse(const Number& number, std::string_view type_name, std::string_view what) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} does not fit {}, {}", to_string(number), type_name, what));
}

Result<std::uint64_t> to_integer_bits(const Number& number, const ScalarType& type, std::string_view type_name) {
  const bool is_signed = type.kind == ScalarKind::Int;
  const i128 most = (i128{1} << (is_signed ? type.bits - 1 : type.bits)) - 1;
  const i128 least = is_signed ? -most - 1 : 0;
  const std::optional<i128> value = to_whole(number);
  if (!value || *value < least || *value > most) {
    const std::string lowest = is_signed ? fmt::format("{}", static_cast<std::int64_t>(least)) : "0";
    return refuse(number, type_name,
                  fmt::format("which holds whole numbers from {} to {}", lowest, static_cast<std::uint64_t>(most)));
  }
  return program::spirv::cut_to_width(static_cast<std::uint64_t>(*value), type.bits);
}

double from_float_bits(std::uint64_t bits, std::uint32_t width) noexcept {
  if (width == 64) return std::bit_cast<double>(bits);
  if (width == 16) return from_half(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

Result<std::uint64_t> to_float(const Number& number, const ScalarType& type, std::string_view type_name) {
  const auto* fraction = std::get_if<double>(&number);
  if (fraction == nullptr) {
    const i128 whole = *to_whole(number);
    const std::uint64_t bits = to_float_bits(static_cast<double>(whole), type.bits);
    const double back = from_float_bits(bits, type.bits);
    if (!std::isfinite(back) || static_cast<i128>(back) != whole) {
      return refuse(number, type_name, "which cannot hold it exactly; with a decimal point it is rounded");
    }
    return bits;
  }
  const std::uint64_t bits = to_float_bits(*fraction, type.bits);
  if (std::isfinite(*fraction) && !std::isfinite(from_float_bits(bits, type.bits))) {
    const char* most = type.bits == 16 ? "65504" : "3.4028235e38";
    return refuse(number, type_name, fmt::format("the largest it holds is {}", most));
  }
  return bits;
}

}  // namespace

std::string to_string(const Number& number) {
  if (const auto* value = std::get_if<bool>(&number)) return *value ? "true" : "false";
  if (const auto* value = std::get_if<std::int64_t>(&number)) return fmt::format("{}", *value);
  if (const auto* value = std::get_if<std::uint64_t>(&number)) return fmt::format("{}", *value);
  return fmt::format("{}", std::get<double>(number));
}

std::optional<i128> to_whole(const Number& number) noexcept {
  if (const auto* value = std::get_if<std::int64_t>(&number)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&number)) return *value;
  const auto* value = std::get_if<double>(&number);
  // Larger than any value of an integer type, and small enough for i128.
  constexpr double kMost = 0x1p100;
  if (value == nullptr || !(std::abs(*value) <= kMost) || std::trunc(*value) != *value) return std::nullopt;
  return static_cast<i128>(*value);
}

Result<std::uint64_t> to_bits(const Number& number, const ScalarType& type, std::string_view type_name) {
  if (const auto* value = std::get_if<bool>(&number)) {
    if (type.kind == ScalarKind::Bool) return *value ? 1 : 0;
    return refuse(number, type_name, "which holds numbers");
  }
  switch (type.kind) {
    case ScalarKind::Bool: {
      if (number == Number{std::int64_t{0}} || number == Number{std::int64_t{1}}) {
        return static_cast<std::uint64_t>(std::get<std::int64_t>(number));
      }
      return refuse(number, type_name, "which holds true and false");
    }
    case ScalarKind::Int:
    case ScalarKind::Uint: return to_integer_bits(number, type, type_name);
    case ScalarKind::Float: return to_float(number, type, type_name);
  }
  return refuse(number, type_name, "which is no type of numbers");
}

std::uint64_t to_float_bits(double value, std::uint32_t bits) noexcept {
  if (bits == 64) return std::bit_cast<std::uint64_t>(value);
  if (bits == 16) return to_half(value);
  // Converting a value that rounds to more than the largest float is undefined behaviour, so it becomes infinity here.
  constexpr double kBeyond = 0x1.ffffffp127;
  const bool is_beyond = std::isfinite(value) && std::abs(value) >= kBeyond;
  const float rounded =
      is_beyond ? std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(std::copysign(1.0, value)))
                : static_cast<float>(value);
  return std::bit_cast<std::uint32_t>(rounded);
}

std::uint16_t to_half(double value) noexcept {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const auto with_sign = [sign](double magnitude) {
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(magnitude));
  };
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return with_sign(0x7e00);
  if (magnitude >= 65520.0) return with_sign(0x7c00);
  // Scaling by a power of two is exact, so that rounding happens once.
  if (magnitude < 0x1p-14) return with_sign(std::nearbyint(magnitude * 0x1p24));
  const int exponent = std::ilogb(magnitude);
  const double mantissa = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  return with_sign(static_cast<double>(exponent + 14) * 1024 + mantissa);
}

double from_half(std::uint16_t bits) noexcept {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  if (exponent == 0x1f) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

}  // namespace vyre::cli::job
