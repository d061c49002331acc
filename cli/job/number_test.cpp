#include "cli/job/number.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::cli::job {
namespace {

using program::ScalarKind;
using program::ScalarType;
using testing::HasSubstr;

constexpr ScalarType kByte{.kind = ScalarKind::Uint, .bits = 8};
constexpr ScalarType kInt{.kind = ScalarKind::Int, .bits = 32};
constexpr ScalarType kLong{.kind = ScalarKind::Int, .bits = 64};
constexpr ScalarType kUlong{.kind = ScalarKind::Uint, .bits = 64};
constexpr ScalarType kHalf{.kind = ScalarKind::Float, .bits = 16};
constexpr ScalarType kFloat{.kind = ScalarKind::Float, .bits = 32};
constexpr ScalarType kDouble{.kind = ScalarKind::Float, .bits = 64};
constexpr ScalarType kBool{.kind = ScalarKind::Bool, .bits = 32};

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostUnsigned = std::numeric_limits<std::uint64_t>::max();

std::string refusal(const Number& number, const ScalarType& type) {
  const auto bits = to_bits(number, type, "T");
  return bits ? "taken" : bits.error().message;
}

TEST(Number, WholeNumbersFitExactlyOrNotAtAll) {
  EXPECT_EQ(to_bits(std::int64_t{255}, kByte, "u8").value(), 255U);
  EXPECT_EQ(to_bits(std::int64_t{-1}, kInt, "i32").value(), 0xffff'ffffU);
  EXPECT_EQ(to_bits(2.0, kByte, "u8").value(), 2U);
  EXPECT_EQ(to_bits(kLeast, kLong, "i64").value(), std::uint64_t{1} << 63);
  EXPECT_EQ(to_bits(kMostUnsigned, kUlong, "u64").value(), kMostUnsigned);
  EXPECT_EQ(to_bits(0x1p63, kUlong, "u64").value(), std::uint64_t{1} << 63);

  EXPECT_THAT(refusal(std::int64_t{256}, kByte),
              HasSubstr("256 does not fit T, which holds whole numbers from 0 to 255"));
  EXPECT_THAT(refusal(std::int64_t{-1}, kByte), HasSubstr("-1 does not fit"));
  EXPECT_THAT(refusal(0.5, kInt),
              HasSubstr("0.5 does not fit T, which holds whole numbers from -2147483648 to 2147483647"));
  EXPECT_THAT(refusal(0x1p31, kInt), HasSubstr("does not fit"));
  EXPECT_THAT(refusal(kMostUnsigned, kLong), HasSubstr("-9223372036854775808 to 9223372036854775807"));
  EXPECT_THAT(refusal(0x1p64, kUlong), HasSubstr("0 to 18446744073709551615"));
  EXPECT_THAT(refusal(std::numeric_limits<double>::quiet_NaN(), kInt), HasSubstr("nan does not fit"));
  EXPECT_THAT(refusal(std::numeric_limits<double>::infinity(), kLong), HasSubstr("inf does not fit"));
}

TEST(Number, FractionsAreRoundedAndWholeNumbersAreNot) {
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(to_bits(0.1, kFloat, "f32").value())), 0.1F);
  EXPECT_EQ(std::bit_cast<double>(to_bits(0.1, kDouble, "f64").value()), 0.1);
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(to_bits(std::int64_t{16'777'216}, kFloat, "f32").value())),
            16'777'216.0F);
  EXPECT_THAT(refusal(std::int64_t{16'777'217}, kFloat), HasSubstr("cannot hold it exactly"));
  EXPECT_EQ(refusal(16'777'217.0, kFloat), "taken");
  EXPECT_THAT(refusal(kMost, kDouble), HasSubstr("cannot hold it exactly"));
  EXPECT_THAT(refusal(std::int64_t{65'536}, kHalf), HasSubstr("cannot hold it exactly"));
  EXPECT_THAT(refusal(1e39, kFloat), HasSubstr("the largest it holds is 3.4028235e38"));
  EXPECT_EQ(refusal(3.4028235e38, kFloat), "taken");
  EXPECT_THAT(refusal(65'520.0, kHalf), HasSubstr("the largest it holds is 65504"));
  EXPECT_EQ(refusal(std::numeric_limits<double>::infinity(), kFloat), "taken");
  EXPECT_EQ(refusal(std::numeric_limits<double>::quiet_NaN(), kHalf), "taken");
}

TEST(Number, TruthIsNoNumber) {
  EXPECT_EQ(to_bits(true, kBool, "bool").value(), 1U);
  EXPECT_EQ(to_bits(std::int64_t{0}, kBool, "bool").value(), 0U);
  EXPECT_THAT(refusal(std::int64_t{2}, kBool), HasSubstr("2 does not fit T, which holds true and false"));
  EXPECT_THAT(refusal(true, kInt), HasSubstr("true does not fit T, which holds numbers"));
}

TEST(Number, EveryHalfComesBack) {
  for (std::uint32_t bits = 0; bits < 0x1'0000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = from_half(half);
    if (std::isnan(value)) {
      ASSERT_EQ(to_half(value) & 0x7c00, 0x7c00) << bits;
    } else {
      ASSERT_EQ(to_half(value), half) << bits;
    }
  }
}

TEST(Number, HalvesAreTheNearest) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = from_half(bits);
    const double high = from_half(static_cast<std::uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    const auto even = static_cast<std::uint16_t>(bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(to_half(middle), even) << bits;
    ASSERT_EQ(to_half(std::nextafter(middle, low)), bits);
    ASSERT_EQ(to_half(std::nextafter(middle, high)), bits + 1);
  }
  EXPECT_EQ(to_half(65'519.9), 0x7bff);
  EXPECT_EQ(to_half(-65'520.0), 0xfc00);
  EXPECT_EQ(to_half(-0.0), 0x8000);
}

}  // namespace
}  // namespace vyre::cli::job
