#include <vyre/base/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace vyre {
namespace {

enum class Colour : std::uint8_t { Red, Green, kEnd };

std::vector<std::byte> encoded() {
  ByteWriter writer;
  writer.add(std::uint32_t{7}).add(-2.5).add(true).add(Colour::Green).add_text("saxpy").add(std::uint16_t{9});
  return writer.take();
}

TEST(Bytes, GivesBackWhatWasEncoded) {
  const std::vector<std::byte> bytes = encoded();
  ByteReader reader{bytes};
  EXPECT_EQ(reader.take<std::uint32_t>(), 7U);
  EXPECT_EQ(reader.take<double>(), -2.5);
  EXPECT_TRUE(reader.take<bool>());
  EXPECT_EQ(reader.take_below(Colour::kEnd), Colour::Green);
  EXPECT_EQ(reader.take_text(), "saxpy");
  EXPECT_FALSE(reader.is_done());
  EXPECT_EQ(reader.take<std::uint16_t>(), 9);
  EXPECT_TRUE(reader.is_done());
}

TEST(Bytes, AnyOmittedByteIsNoticed) {
  const std::vector<std::byte> bytes = encoded();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader{std::span{bytes}.first(size)};
    (void)reader.take<std::uint32_t>();
    (void)reader.take<double>();
    (void)reader.take<bool>();
    (void)reader.take_below(Colour::kEnd);
    (void)reader.take_text();
    EXPECT_EQ(reader.take<std::uint16_t>(), 0) << size;
    EXPECT_FALSE(reader.is_good()) << size;
  }
}

TEST(Bytes, ValuesThatDoNotExistAreNoticed) {
  const std::vector<std::byte> two{std::byte{2}};
  ByteReader boolean{two};
  EXPECT_FALSE(boolean.take<bool>());
  EXPECT_FALSE(boolean.is_good());
  ByteReader colour{two};
  EXPECT_EQ(colour.take_below(Colour::kEnd), Colour::Red);
  EXPECT_FALSE(colour.is_good());
}

TEST(Bytes, ATextThatIsLongerThanTheRestIsEmpty) {
  ByteWriter writer;
  writer.add(~std::uint64_t{0}).add(std::uint8_t{1});
  const std::vector<std::byte> bytes = writer.take();
  ByteReader reader{bytes};
  EXPECT_EQ(reader.take_text(), "");
  EXPECT_FALSE(reader.is_good());
}

}  // namespace
}  // namespace vyre
