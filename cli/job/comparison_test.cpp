#include "cli/job/comparison.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::cli::job {
namespace {

template <typename A, typename B>
Comparison compare(const std::vector<A>& found, ElementType type, const std::vector<B>& expected,
                   ElementType expected_type, Tolerance tolerance = {}) {
  Comparison comparison{type, expected_type, tolerance};
  comparison.add(std::as_bytes(std::span{found}), std::as_bytes(std::span{expected}));
  return comparison;
}

TEST(Comparison, EqualIsByValue) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto same = compare<float, float>({0.0F, 1.0F, nan}, ElementType::F32, {-0.0F, 1.0F, nan}, ElementType::F32);
  EXPECT_EQ(same.different(), 0U);
  EXPECT_EQ(same.count(), 3U);
  const auto bytewise =
      compare<float, float>({0.0F, 1.0F}, ElementType::F32, {-0.0F, 1.0F}, ElementType::F32, {.is_bytewise = true});
  EXPECT_EQ(bytewise.different(), 1U);
}

TEST(Comparison, TypesMayDiffer) {
  EXPECT_EQ((compare<std::uint32_t, std::int64_t>({1, 2}, ElementType::U32, {1, 2}, ElementType::I64).different()), 0U);
  EXPECT_EQ(
      (compare<std::uint64_t, double>({(std::uint64_t{1} << 53) + 1}, ElementType::U64, {0x1p53}, ElementType::F64)
           .different()),
      1U);
}

TEST(Comparison, CloseIsRelativeToTheExpected) {
  const Tolerance close{.is_close = true, .rtol = 0.1, .atol = 0.5};
  const auto at = [&](double found, double expected) {
    return compare<double, double>({found}, ElementType::F64, {expected}, ElementType::F64, close).different() == 0;
  };
  EXPECT_TRUE(at(10.5, 9.2));
  EXPECT_TRUE(at(11.5, 10.0));
  EXPECT_FALSE(at(11.6, 10.0));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(at(infinity, infinity));
  EXPECT_FALSE(at(infinity, -infinity));
  EXPECT_FALSE(at(1.0, infinity));
  EXPECT_FALSE(at(infinity, 1.0));
  EXPECT_FALSE(at(std::nan(""), 1.0));
}

TEST(Comparison, NamesTheFirstThatDiffers) {
  Comparison comparison{ElementType::C64, ElementType::C64, {}};
  const std::vector<float> first{1, 2, 3, 4};
  const std::vector<float> found{5, 6, 7, 8};
  const std::vector<float> expected{5, 6, 7, 9};
  comparison.add(std::as_bytes(std::span{first}), std::as_bytes(std::span{first}));
  comparison.add(std::as_bytes(std::span{found}), std::as_bytes(std::span{expected}));
  EXPECT_EQ(comparison.describe({2, 2}), "element [1, 1] is (7, 8), expected is (7, 9); 1 of 4 differ");
}

}  // namespace
}  // namespace vyre::cli::job
