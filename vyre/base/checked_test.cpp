#include <vyre/base/checked.hpp>

#include <cstdint>

#include <gtest/gtest.h>

namespace vyre {
namespace {

constexpr Counted kTable{.table = "kernel argument table", .remedy = "record a smaller graph"};

TEST(Checked, AddsAndMultipliesUpToTheLimit) {
  EXPECT_EQ(checked_add<std::uint32_t>(0xffff'fffe, 1, kTable).value(), 0xffff'ffff);
  EXPECT_EQ(checked_mul<std::uint64_t>(1ULL << 32, (1ULL << 32) - 1, kTable).value(), 0xffff'ffff'0000'0000);
  EXPECT_EQ(checked_add<std::uint32_t>(3, 4, kTable, 7).value(), 7U);
}

TEST(Checked, NamesTheTableAndTheRemedy) {
  EXPECT_EQ(to_string(checked_add<std::uint32_t>(0xffff'ffff, 1, kTable).error()),
            "error[invalid-argument]: kernel argument table needs 4294967295 + 1 entries, the limit is 4294967295; "
            "record a smaller graph");
  EXPECT_EQ(to_string(checked_mul<std::uint64_t>(1ULL << 32, 1ULL << 32, kTable).error()),
            "error[invalid-argument]: kernel argument table needs 4294967296 * 4294967296 entries, the limit is "
            "18446744073709551615; record a smaller graph");
  EXPECT_FALSE(checked_mul<std::uint8_t>(4, 2, kTable, 7).has_value());
}

}  // namespace
}  // namespace vyre
