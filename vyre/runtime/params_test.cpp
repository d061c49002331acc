#include <vyre/runtime/params.hpp>

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace vyre::runtime {
namespace {

using program::ScalarKind;

TEST(Params, KeepEveryValueWithItsType) {
  const Params given = params(2.5F, -1, std::array<std::uint32_t, 3>{1, 2, 3}, std::uint64_t{9});
  ASSERT_EQ(given.values().size(), 4);
  const auto& [scale, sign, vector, wide] =
      std::tie(given.values()[0], given.values()[1], given.values()[2], given.values()[3]);
  EXPECT_EQ(scale.kind, ScalarKind::Float);
  EXPECT_EQ(sign.kind, ScalarKind::Int);
  EXPECT_EQ(vector.kind, ScalarKind::Uint);
  EXPECT_EQ(vector.components, 3);
  EXPECT_EQ(wide.bits, 64);
  EXPECT_EQ(wide.offset, 4 + 4 + 12);
  EXPECT_EQ(given.byte_count(), 28);
  EXPECT_FALSE(scale.is_named());
  float value = 0;
  std::memcpy(&value, given.bytes().data(), sizeof(value));
  EXPECT_EQ(value, 2.5F);
}

TEST(Params, NameTheirMembers) {
  const Params given = params(param("count", 7U), param("", 1U));
  EXPECT_EQ(given.values()[0].name(), "count");
  EXPECT_TRUE(given.values()[1].is_named());
  EXPECT_EQ(given.values()[1].name(), "");
}

TEST(Params, ABlockIsItsBytes) {
  struct Block {
    std::uint32_t count = 3;
    float scale = 1;
  };
  const Params given = params_block(Block{});
  EXPECT_TRUE(given.is_block());
  EXPECT_TRUE(given.fits());
  EXPECT_EQ(given.bytes().size(), sizeof(Block));
  EXPECT_TRUE(given.values().empty());
}

TEST(Params, CountWhatIsBeyondTheirLimitsAndKeepNoneOfIt) {
  Params many;
  for (std::size_t i = 0; i < Params::kMaxValues; ++i) many.add(std::uint8_t{1});
  EXPECT_TRUE(many.fits());
  many.add(std::uint8_t{1});
  EXPECT_FALSE(many.fits());
  EXPECT_EQ(many.value_count(), Params::kMaxValues + 1);
  EXPECT_TRUE(many.values().empty());

  Params large;
  for (int i = 0; i < 9; ++i) large.add(std::array<double, 4>{});
  EXPECT_FALSE(large.fits());
  EXPECT_EQ(large.byte_count(), 9 * 32);
  EXPECT_TRUE(large.bytes().empty());

  const std::array<std::byte, Params::kMaxBytes + 1> block = {};
  EXPECT_FALSE(Params::from_bytes(block).fits());
  EXPECT_EQ(Params::from_bytes(block).byte_count(), block.size());
}

}  // namespace
}  // namespace vyre::runtime
