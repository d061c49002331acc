#include "cli/job/npy.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli::job {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// The longest header that is read. Real headers have about a hundred bytes.
constexpr std::size_t kMaxHeader = std::size_t{1} << 20;
/// The most dimensions, which is numpy's limit.
constexpr std::size_t kMaxDimensions = 64;

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

/// Text of a file for a message: shortened, and without control characters.
std::string quoted(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 40)) shown.push_back(c >= ' ' && c <= '~' ? c : '?');
  return fmt::format("'{}'{}", shown, text.size() > 40 ? "…" : "");
}

/// Reads the dictionary of a header, which is a Python literal.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) noexcept : text_{text} {}

  struct Fields {
    std::optional<std::string_view> descr;
    std::optional<bool> fortran_order;
    std::optional<Shape> shape;
  };

  Result<Fields> read() {
    Fields fields;
    VYRE_TRY(expect('{', "a dictionary"));
    while (!take('}')) {
      VYRE_ASSIGN(const std::string_view key, string("a key in quotes"));
      VYRE_TRY(expect(':', "':' behind a key"));
      VYRE_TRY(read_field(key, fields));
      if (!take(',')) {
        VYRE_TRY(expect('}', "',' or '}' behind a value"));
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) return found("nothing behind the dictionary");
    return fields;
  }

 private:
  Result<void> read_field(std::string_view key, Fields& fields) {
    if (key == "descr" && !fields.descr) {
      skip_space();
      if (at_ < text_.size() && text_[at_] == '[') {
        return invalid("the header has a list as 'descr', so that its elements are structures; they must be numbers");
      }
      VYRE_ASSIGN(fields.descr, string("a type in quotes"));
      return {};
    }
    if (key == "fortran_order" && !fields.fortran_order) {
      skip_space();
      for (const auto& [word, value] : {std::pair{std::string_view{"False"}, false}, {"True", true}}) {
        if (!text_.substr(at_).starts_with(word)) continue;
        at_ += word.size();
        fields.fortran_order = value;
        return {};
      }
      return found("True or False for 'fortran_order'");
    }
    if (key == "shape" && !fields.shape) {
      VYRE_ASSIGN(fields.shape, shape());
      return {};
    }
    return invalid(fmt::format("the header has the key {}, it takes 'descr', 'fortran_order' and 'shape', each once",
                               quoted(key)));
  }

  Result<Shape> shape() {
    VYRE_TRY(expect('(', "'(' before the shape"));
    Shape sides;
    while (!take(')')) {
      std::uint64_t side = 0;
      skip_space();
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), side);
      if (error != std::errc{}) return found("a size below 2^64 in the shape");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote an L after long integers.
      sides.push_back(side);
      if (sides.size() > kMaxDimensions) {
        return invalid(fmt::format("the shape has more than {} dimensions, that is the limit", kMaxDimensions));
      }
      if (!take(',')) {
        VYRE_TRY(expect(')', "',' or ')' in the shape"));
        break;
      }
    }
    return sides;
  }

  Result<std::string_view> string(std::string_view what) {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return found(what);
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  void skip_space() noexcept { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }

  bool take(char wanted) noexcept {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  Result<void> expect(char wanted, std::string_view what) {
    if (!take(wanted)) return found(what);
    return {};
  }

  [[nodiscard]] std::unexpected<Error> found(std::string_view expected) const {
    if (at_ >= text_.size()) return invalid(fmt::format("the header ends where {} is expected", expected));
    return invalid(fmt::format("the header has {} where {} is expected", quoted(text_.substr(at_)), expected));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view kind_name(ElementType type) noexcept {
  switch (type) {
    case ElementType::U8: return "u1";
    case ElementType::I8: return "i1";
    case ElementType::U16: return "u2";
    case ElementType::I16: return "i2";
    case ElementType::U32: return "u4";
    case ElementType::I32: return "i4";
    case ElementType::U64: return "u8";
    case ElementType::I64: return "i8";
    case ElementType::F16: return "f2";
    case ElementType::F32: return "f4";
    case ElementType::F64: return "f8";
    case ElementType::C64: return "c8";
    case ElementType::C128: return "c16";
  }
  return "";
}

Result<void> read_type(std::string_view descr, NpyArray& array) {
  const char order = descr.empty() ? '\0' : descr.front();
  const bool has_order = order == '<' || order == '>' || order == '=' || order == '|';
  const std::string_view kind = has_order ? descr.substr(1) : descr;
  if (kind == "b1" || kind == "?") {
    return invalid(
        fmt::format("the elements are booleans ({}); save them as numbers, with astype('u1')", quoted(descr)));
  }
  const auto* found = std::ranges::find(kElementTypes, kind, kind_name);
  if (found == kElementTypes.end() || (order == '|' && bytes_of(*found) > 1)) {
    return invalid(fmt::format(
        "the elements are {}; they must be u1, i1, u2, i2, u4, i4, u8, i8, f2, f4, f8, c8 or c16 in numpy's names",
        quoted(descr)));
  }
  array.type = *found;
  array.big_endian = order == '>' && bytes_of(*found) > 1;
  return {};
}

/// A number of the format, which are all little-endian.
std::uint64_t number_at(std::span<const std::byte> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace

Result<NpyArray> read_npy(std::span<const std::byte> file) {
  constexpr std::size_t kVersionEnd = 8;
  if (file.size() < kMagic.size() || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) {
    return invalid(
        fmt::format("the file has {} bytes and does not begin as .npy files do, with \\x93NUMPY", file.size()));
  }
  if (file.size() < kVersionEnd) {
    return invalid(fmt::format("the file ends after {} bytes, its version is expected there", file.size()));
  }
  const auto major = std::to_integer<unsigned>(file[6]);
  const auto minor = std::to_integer<unsigned>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return invalid(fmt::format("the file has version {}.{} of the format, expected is 1.0, 2.0 or 3.0", major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < kVersionEnd + length_bytes) {
    return invalid(
        fmt::format("the file ends after {} bytes, the length of its header is expected there", file.size()));
  }
  const std::uint64_t length = number_at(file.subspan(kVersionEnd, length_bytes));
  NpyArray array{.offset = kVersionEnd + length_bytes + length};
  if (length > kMaxHeader) {
    return invalid(fmt::format("the header claims {} bytes, the limit is {}", length, kMaxHeader));
  }
  if (array.offset > file.size()) {
    return invalid(fmt::format("the header claims {} bytes, the file has {} behind its length", length,
                               file.size() - kVersionEnd - length_bytes));
  }
  const std::span<const std::byte> header = file.subspan(kVersionEnd + length_bytes, length);
  HeaderReader reader{std::string_view{reinterpret_cast<const char*>(header.data()), header.size()}};
  VYRE_ASSIGN(const HeaderReader::Fields fields, reader.read());
  if (!fields.descr || !fields.fortran_order || !fields.shape) {
    const char* missing = !fields.descr ? "descr" : !fields.fortran_order ? "fortran_order" : "shape";
    return invalid(fmt::format("the header has no '{}', it takes 'descr', 'fortran_order' and 'shape'", missing));
  }
  VYRE_TRY(read_type(*fields.descr, array));
  array.shape = *fields.shape;
  // In one dimension both orders are the same.
  if (*fields.fortran_order && array.shape.size() > 1) {
    return invalid("the array is in Fortran order, expected is C order; save it with numpy.ascontiguousarray");
  }
  VYRE_ASSIGN(array.bytes, array_bytes(array.type, array.shape));
  if (file.size() - array.offset != array.bytes) {
    return invalid(fmt::format("the file has {} bytes of elements, {} takes {}", file.size() - array.offset,
                               describe(array.type, array.shape), array.bytes));
  }
  return array;
}

std::string npy_header(ElementType type, const Shape& shape) {
  std::string sides;
  for (const std::uint64_t side : shape) {
    sides += fmt::format("{}{}", sides.empty() ? "" : ", ", side);
  }
  if (shape.size() == 1) sides += ",";
  const char order = bytes_of(type) == 1 ? '|' : '<';
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, kind_name(type), sides);
  // Pads the header so that the elements begin at a multiple of 64, like numpy.
  constexpr std::size_t kPrefix = 10;
  text.append(63 - (kPrefix + text.size()) % 64, ' ');
  text.push_back('\n');
  std::string header{kMagic};
  header.append({'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)});
  return header + text;
}

}  // namespace vyre::cli::job
