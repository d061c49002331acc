#include <vyre/base/u128.hpp>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace vyre {
namespace {

/// Schoolbook addition on decimal strings: knows nothing of binary.
std::string double_and_add(std::string digits, bool bit) {
  int carry = bit ? 1 : 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    const int value = 2 * (*digit - '0') + carry;
    *digit = static_cast<char>('0' + value % 10);
    carry = value / 10;
  }
  return carry != 0 ? "1" + digits : digits;
}

std::string naive_decimal(u128 value) {
  std::string digits = "0";
  for (int bit = 127; bit >= 0; --bit) digits = double_and_add(digits, ((value >> bit) & 1) != 0);
  return digits;
}

TEST(U128, PrintsAndReadsBackEveryMagnitude) {
  std::mt19937_64 random{1};
  for (int i = 0; i < 20'000; ++i) {
    const u128 value = ((u128{random()} << 64) | random()) >> (random() % 128);
    ASSERT_EQ(to_decimal(value), naive_decimal(value));
    ASSERT_EQ(parse_u128(to_decimal(value)), value);
  }
}

TEST(U128, PrintsTheEdgesOfItsChunks) {
  u128 power = 1;
  for (int digits = 0; digits < 38; ++digits, power *= 10) {
    ASSERT_EQ(to_decimal(power), naive_decimal(power));
    ASSERT_EQ(to_decimal(power - 1), naive_decimal(power - 1));
  }
}

TEST(U128, ReadsOnlyWholeDecimalNumbersThatFit) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "1e3", "1.0", "340282366920938463463374607431768211456",
                           "999999999999999999999999999999999999999999"}) {
    EXPECT_EQ(parse_u128(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_u128("000"), u128{0});
}

TEST(U64, ReadsUpToItsLimit) {
  EXPECT_EQ(parse_u64("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_u64("000000000000000000000000000000000000000000000000000007"), 7U);
  EXPECT_EQ(parse_u64("0000"), 0U);
  for (const char* text : {"18446744073709551616", "99999999999999999999999", "", "-0", "1_000"}) {
    EXPECT_EQ(parse_u64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace vyre
