#include "cli/job/npy.hpp"

#include <span>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::cli::job {
namespace {

using testing::HasSubstr;

/// A file with a header of our own making.
std::string file(std::string_view header, std::size_t elements = 0, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes.push_back(version);
  bytes.push_back('\0');
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) bytes.push_back(static_cast<char>(header.size() >> 8 * i & 0xff));
  return bytes.append(header).append(elements, '\x01');
}

Result<NpyArray> read(std::string_view bytes) { return read_npy(std::as_bytes(std::span{bytes})); }

std::string refusal(std::string_view bytes) {
  const auto array = read(bytes);
  return array ? "taken" : array.error().message;
}

TEST(Npy, ReadsWhatItWrites) {
  for (const ElementType type : kElementTypes) {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{3, 4}, Shape{2, 3, 4, 5}, Shape{1'000'000, 0}}) {
      const std::uint64_t bytes = array_bytes(type, shape).value();
      const std::string header = npy_header(type, shape);
      EXPECT_EQ(header.size() % 64, 0U);
      EXPECT_EQ(header.back(), '\n');
      const auto array = read(header + std::string(bytes, '\0'));
      ASSERT_TRUE(array.has_value()) << array.error().message;
      EXPECT_EQ(*array, (NpyArray{.type = type, .shape = shape, .offset = header.size(), .bytes = bytes}));
    }
  }
}

TEST(Npy, ReadsEveryVersionAndSpelling) {
  const std::string_view plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  for (const char version : {'\1', '\2', '\3'}) EXPECT_EQ(refusal(file(plain, 12, version)), "taken");
  EXPECT_EQ(refusal(file(R"({"shape":(3L,2L),"fortran_order":False,"descr":"<i2"})", 12)), "taken");
  EXPECT_EQ(refusal(file("{'descr': 'f4', 'fortran_order': False, 'shape': ()}\n", 4)), "taken");
  // In one dimension both orders are the same.
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'fortran_order': True, 'shape': (3,), }", 12)), "taken");
  EXPECT_TRUE(read(file("{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", 12))->big_endian);
  EXPECT_FALSE(read(file("{'descr': '>u1', 'fortran_order': False, 'shape': (12,), }", 12))->big_endian);
}

TEST(Npy, SaysWhatIsThereAndWhatWasExpected) {
  const auto header = [](std::string_view descr, std::string_view order, std::string_view shape) {
    return "{'descr': " + std::string{descr} + ", 'fortran_order': " + std::string{order} +
           ", 'shape': " + std::string{shape} + ", }";
  };
  EXPECT_THAT(refusal(""), HasSubstr("the file has 0 bytes and does not begin as .npy files do"));
  EXPECT_THAT(refusal("PK\3\4 a zip archive"), HasSubstr("does not begin as .npy files do, with \\x93NUMPY"));
  EXPECT_THAT(refusal("\x93NUMPY\1"), HasSubstr("ends after 7 bytes, its version is expected"));
  EXPECT_THAT(refusal(file("", 0, 4)), HasSubstr("version 4.0 of the format, expected is 1.0, 2.0 or 3.0"));
  EXPECT_THAT(refusal(std::string_view{"\x93NUMPY\1\0\5", 9}), HasSubstr("the length of its header is expected"));
  EXPECT_THAT(refusal(std::string_view{"\x93NUMPY\1\0\x76\0{'descr'", 18}),
              HasSubstr("the header claims 118 bytes, the file has 8 behind its length"));
  EXPECT_THAT(refusal(std::string_view{"\x93NUMPY\2\0\xff\xff\xff\xff", 12}),
              HasSubstr("the header claims 4294967295 bytes, the limit is 1048576"));
  EXPECT_THAT(refusal(file("[1, 2]")), HasSubstr("the header has '[1, 2]' where a dictionary is expected"));
  EXPECT_THAT(refusal(file("{'descr': '<f4'}")), HasSubstr("the header has no 'fortran_order'"));
  EXPECT_THAT(refusal(file("{'descr'")), HasSubstr("the header ends where ':' behind a key is expected"));
  EXPECT_THAT(refusal(file("{'x': 1}")), HasSubstr("the key 'x', it takes 'descr', 'fortran_order' and 'shape'"));
  EXPECT_THAT(refusal(file("{'descr': '<f4', 'descr': '<f4'}")), HasSubstr("each once"));
  EXPECT_THAT(refusal(file(header("'<f4'", "True", "(3, 4)"), 48)), HasSubstr("the array is in Fortran order"));
  EXPECT_THAT(refusal(file(header("'<f4'", "Maybe", "(3,)"))), HasSubstr("True or False for 'fortran_order'"));
  EXPECT_THAT(refusal(file(header("'|b1'", "False", "(3,)"), 3)), HasSubstr("the elements are booleans ('|b1')"));
  EXPECT_THAT(refusal(file(header("'<U8'", "False", "(3,)"))), HasSubstr("the elements are '<U8'; they must be u1"));
  EXPECT_THAT(refusal(file(header("'<f16'", "False", "(3,)"))), HasSubstr("the elements are '<f16'"));
  EXPECT_THAT(refusal(file(header("'|O'", "False", "(3,)"))), HasSubstr("the elements are '|O'"));
  EXPECT_THAT(refusal(file(header("[('x', '<f4')]", "False", "(3,)"))), HasSubstr("its elements are structures"));
  EXPECT_THAT(refusal(file(header("'<f4'", "False", "(3, -4)"))), HasSubstr("a size below 2^64 in the shape"));
  EXPECT_THAT(refusal(file(header("'<f4'", "False", "(99999999999999999999,)"))), HasSubstr("below 2^64"));
  EXPECT_THAT(refusal(file(header("'<f4'", "False", "(4294967296, 4294967296)"))), HasSubstr("the array needs"));
  EXPECT_THAT(refusal(file(header("'<f4'", "False", "(3, 4)"), 47)),
              HasSubstr("the file has 47 bytes of elements, f32 [3, 4] takes 48"));
  EXPECT_THAT(refusal(file(header("'<f4'", "False", "(3, 4)"), 49)), HasSubstr("the file has 49 bytes of elements"));
  EXPECT_THAT(refusal(file(header("'<f4'", "False", "(3,)") + "x", 12)), HasSubstr("nothing behind the dictionary"));
  EXPECT_THAT(refusal(file("{'\x1b[31m': 1}")), HasSubstr("'?[31m'"));
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string whole = npy_header(ElementType::F64, {5}) + std::string(40, 'x');
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read(std::string_view{whole}.substr(0, size)).has_value()) << size;
  }
  EXPECT_TRUE(read(whole).has_value());
}

}  // namespace
}  // namespace vyre::cli::job
