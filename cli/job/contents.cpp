#include "cli/job/contents.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <vyre/base/u128.hpp>

namespace vyre::cli::job {
namespace {

using program::ScalarKind;
using program::ScalarType;

static_assert(std::endian::native == std::endian::little, "elements are written as little-endian files have them");

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

/// SplitMix64, number `index` of a seed.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) noexcept {
  std::uint64_t z = seed + (index + 1) * 0x9e37'79b9'7f4a'7c15U;
  z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9U;
  z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebU;
  return z ^ z >> 31;
}

double to_double(const Number& number) noexcept {
  if (const auto* value = std::get_if<double>(&number)) return *value;
  const std::optional<i128> whole = to_whole(number);
  return whole ? static_cast<double>(*whole) : 0.0;
}

std::uint64_t count_of(const Shape& shape) noexcept {
  std::uint64_t count = 1;
  for (const std::uint64_t side : shape) count *= side;
  return count;
}

}  // namespace

Result<Generator::Rule> Generator::make_range(const BufferSource& buffer, const RangeContents& range) {
  const ScalarType scalar = scalar_of(buffer.type);
  const std::string_view name = to_string(buffer.type);
  const std::uint64_t last = count_of(buffer.shape) - 1;
  VYRE_TRY(to_bits(range.start, scalar, name));
  if (scalar.kind == ScalarKind::Float) {
    const FloatRange rule{.start = to_double(range.start), .step = to_double(range.step)};
    VYRE_TRY(to_bits(Number{rule.start + static_cast<double>(last) * rule.step}, scalar, name));
    return rule;
  }
  const std::optional<i128> step = to_whole(range.step);
  if (!step) return invalid(fmt::format("the step {} is no whole number, {} takes one", to_string(range.step), name));
  const WholeRange rule{.start = *to_whole(range.start), .step = *step};
  i128 end = 0;
  const bool is_beyond =
      __builtin_mul_overflow(rule.step, static_cast<i128>(last), &end) || __builtin_add_overflow(end, rule.start, &end);
  const bool is_signed = scalar.kind == ScalarKind::Int;
  const i128 most = (i128{1} << (scalar.bits - (is_signed ? 1 : 0))) - 1;
  if (is_beyond || end > most || end < (is_signed ? -most - 1 : 0)) {
    return invalid(fmt::format("the range of {} from {} in steps of {} goes beyond {}", last + 1,
                               to_string(range.start), to_string(range.step), name));
  }
  return rule;
}

Result<Generator::Rule> Generator::make_random(const BufferSource& buffer, const RandomContents& random) {
  const ScalarType scalar = scalar_of(buffer.type);
  const std::string_view name = to_string(buffer.type);
  if (random.min) VYRE_TRY(to_bits(*random.min, scalar, name));
  if (random.max) VYRE_TRY(to_bits(*random.max, scalar, name));
  if (scalar.kind == ScalarKind::Float) {
    const RandomFloat rule{.seed = random.seed,
                           .min = random.min ? to_double(*random.min) : 0.0,
                           .max = random.max ? to_double(*random.max) : 1.0};
    if (!(rule.min <= rule.max) || !std::isfinite(rule.max - rule.min)) {
      return invalid(
          fmt::format("'min' is {} and 'max' is {}, it takes a smaller or equal and a larger", rule.min, rule.max));
    }
    return rule;
  }
  const bool is_signed = scalar.kind == ScalarKind::Int;
  const i128 most = (i128{1} << (scalar.bits - (is_signed ? 1 : 0))) - 1;
  const i128 min = random.min ? *to_whole(*random.min) : (is_signed ? -most - 1 : 0);
  const i128 max = random.max ? *to_whole(*random.max) : most;
  if (min > max) {
    return invalid(fmt::format("'min' is {} and 'max' is {}, it takes a smaller or equal and a larger",
                               random.min ? to_string(*random.min) : "the least",
                               random.max ? to_string(*random.max) : "the most"));
  }
  return RandomWhole{.seed = random.seed, .min = min, .count = max - min + 1};
}

Result<Generator> Generator::make(std::string_view file, const BufferSource& buffer) {
  const auto placed = [&](Result<Rule> rule, Position at) -> Result<Generator> {
    if (!rule) return std::unexpected{error_at(file, at, std::move(rule).error())};
    return Generator{buffer.type, *rule};
  };
  if (const auto* full = std::get_if<FullContents>(&buffer.contents)) {
    const auto same = [&]() -> Result<Rule> {
      VYRE_ASSIGN(const std::uint64_t bits, to_bits(full->value, scalar_of(buffer.type), to_string(buffer.type)));
      return Same{.bits = bits};
    };
    return placed(same(), full->at);
  }
  if (const auto* range = std::get_if<RangeContents>(&buffer.contents)) {
    return placed(make_range(buffer, *range), range->at);
  }
  if (const auto* random = std::get_if<RandomContents>(&buffer.contents)) {
    return placed(make_random(buffer, *random), random->at);
  }
  return Generator{buffer.type, Same{}};
}

std::uint64_t Generator::bits_of(std::uint64_t index) const noexcept {
  struct Bits {
    std::uint64_t index;
    std::uint32_t width;
    std::uint64_t operator()(const Same& rule) const { return rule.bits; }
    std::uint64_t operator()(const WholeRange& rule) const {
      return static_cast<std::uint64_t>(rule.start + static_cast<i128>(index) * rule.step);
    }
    std::uint64_t operator()(const FloatRange& rule) const {
      return to_float_bits(rule.start + static_cast<double>(index) * rule.step, width);
    }
    std::uint64_t operator()(const RandomWhole& rule) const {
      const u128 scaled = u128{random_bits(rule.seed, index)} * static_cast<u128>(rule.count) >> 64;
      return static_cast<std::uint64_t>(rule.min + static_cast<i128>(scaled));
    }
    std::uint64_t operator()(const RandomFloat& rule) const {
      const double unit = static_cast<double>(random_bits(rule.seed, index) >> 11) * 0x1p-53;
      return to_float_bits(rule.min + unit * (rule.max - rule.min), width);
    }
  };
  return std::visit(Bits{.index = index, .width = scalar_.bits}, rule_);
}

void Generator::fill(std::uint64_t first, std::span<std::byte> out) const noexcept {
  const std::size_t size = scalar_.bits / 8;
  for (std::size_t at = 0; at + size <= out.size(); at += size) {
    const std::uint64_t bits = bits_of(first++);
    std::memcpy(out.data() + at, &bits, size);
  }
}

void swap_bytes(std::span<std::byte> elements, ElementType type) noexcept {
  const std::size_t size = bytes_of(type) / components_of(type);
  for (; elements.size() >= size; elements = elements.subspan(size)) std::ranges::reverse(elements.first(size));
}

}  // namespace vyre::cli::job
