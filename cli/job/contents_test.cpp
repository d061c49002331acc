#include "cli/job/contents.hpp"

#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::cli::job {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
std::vector<T> make(const BufferSource& buffer, std::size_t count, std::uint64_t first = 0) {
  const auto generator = Generator::make("job.toml", buffer);
  EXPECT_TRUE(generator.has_value());
  std::vector<T> values(count);
  if (generator) generator->fill(first, std::as_writable_bytes(std::span{values}));
  return values;
}

std::string refusal(const BufferSource& buffer) {
  const auto generator = Generator::make("job.toml", buffer);
  return generator ? "taken" : generator.error().message;
}

BufferSource range(ElementType type, Number start, Number step, std::uint64_t count) {
  return {.type = type, .shape = {count}, .contents = RangeContents{.start = start, .step = step, .at = {2, 3}}};
}

BufferSource random(ElementType type, std::optional<Number> min, std::optional<Number> max) {
  return {.type = type, .shape = {1'000}, .contents = RandomContents{.seed = 7, .min = min, .max = max, .at = {2, 3}}};
}

TEST(Contents, RangesCountExactly) {
  EXPECT_THAT(make<std::uint32_t>(range(ElementType::U32, std::int64_t{5}, std::int64_t{-1}, 3), 3),
              ElementsAre(5, 4, 3));
  EXPECT_THAT(make<std::int8_t>(range(ElementType::I8, std::int64_t{-128}, std::int64_t{255}, 2), 2),
              ElementsAre(-128, 127));
  EXPECT_THAT(make<float>(range(ElementType::F32, 0.5, 0.25, 3), 3), ElementsAre(0.5F, 0.75F, 1.0F));
  EXPECT_THAT(make<std::uint32_t>(range(ElementType::U32, std::int64_t{0}, std::int64_t{1}, 100), 3, 50),
              ElementsAre(50, 51, 52));
}

TEST(Contents, RangesStayWithinTheirType) {
  EXPECT_EQ(refusal(range(ElementType::U8, std::int64_t{0}, std::int64_t{1}, 256)), "taken");
  EXPECT_THAT(refusal(range(ElementType::U8, std::int64_t{0}, std::int64_t{1}, 257)),
              HasSubstr("job.toml:2:3: the range of 257 from 0 in steps of 1 goes beyond u8"));
  EXPECT_THAT(refusal(range(ElementType::U8, std::int64_t{1}, std::int64_t{-1}, 3)), HasSubstr("goes beyond u8"));
  EXPECT_THAT(refusal(range(ElementType::U32, std::int64_t{0}, 0.5, 3)), HasSubstr("the step 0.5 is no whole number"));
  EXPECT_THAT(refusal(range(ElementType::U64, std::int64_t{0}, std::numeric_limits<std::uint64_t>::max(),
                            std::numeric_limits<std::int64_t>::max())),
              HasSubstr("goes beyond u64"));
  EXPECT_THAT(refusal(range(ElementType::F16, 0.0, 1.0, 70'000)), HasSubstr("does not fit f16"));
}

TEST(Contents, RandomNumbersAreThoseOfTheSeed) {
  // As docs/jobs.md says them: SplitMix64 of the seed, number by number.
  EXPECT_THAT(make<std::uint64_t>(random(ElementType::U64, std::nullopt, std::nullopt), 2),
              ElementsAre(7'191'089'600'892'374'487U, 309'689'372'594'955'804U));
  EXPECT_EQ(make<std::uint64_t>(random(ElementType::U64, std::nullopt, std::nullopt), 1, 1).front(),
            309'689'372'594'955'804U);
  for (const float value : make<float>(random(ElementType::F32, -1.0, 1.0), 1'000)) {
    EXPECT_GE(value, -1.0F);
    EXPECT_LE(value, 1.0F);
  }
  const auto dice = make<std::int16_t>(random(ElementType::I16, std::int64_t{-1}, std::int64_t{1}), 1'000);
  EXPECT_THAT(std::set<std::int16_t>(dice.begin(), dice.end()), ElementsAre(-1, 0, 1));
  EXPECT_THAT(make<std::uint8_t>(random(ElementType::U8, std::int64_t{9}, std::int64_t{9}), 2), ElementsAre(9, 9));
}

TEST(Contents, RandomNumbersStayWithinTheirType) {
  EXPECT_THAT(refusal(random(ElementType::U8, std::int64_t{-1}, std::nullopt)), HasSubstr("-1 does not fit u8"));
  EXPECT_THAT(refusal(random(ElementType::U8, std::int64_t{5}, std::int64_t{4})),
              HasSubstr("'min' is 5 and 'max' is 4"));
  EXPECT_THAT(refusal(random(ElementType::F32, 1.0, 0.5)), HasSubstr("'min' is 1 and 'max' is 0.5"));
  EXPECT_THAT(refusal(random(ElementType::F64, -1.7e308, 1.7e308)), HasSubstr("a smaller or equal and a larger"));
  EXPECT_THAT(refusal(random(ElementType::F64, std::numeric_limits<double>::quiet_NaN(), 1.0)),
              HasSubstr("'min' is nan"));
}

TEST(Contents, BytesAreTurnedAroundByComponent) {
  std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6, 7, 8};
  const std::span<std::byte> view = std::as_writable_bytes(std::span{bytes});
  swap_bytes(view, ElementType::C64);
  EXPECT_THAT(bytes, ElementsAre(4, 3, 2, 1, 8, 7, 6, 5));
  swap_bytes(view, ElementType::U16);
  EXPECT_THAT(bytes, ElementsAre(3, 4, 1, 2, 7, 8, 5, 6));
  swap_bytes(view, ElementType::U8);
  EXPECT_THAT(bytes, ElementsAre(3, 4, 1, 2, 7, 8, 5, 6));
}

}  // namespace
}  // namespace vyre::cli::job
