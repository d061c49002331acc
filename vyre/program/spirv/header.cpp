#include <vyre/program/spirv/header.hpp>

#include <bit>

#include <fmt/format.h>
#include <spirv/unified1/spirv.hpp>

namespace vyre::program::spirv {

Result<void> check_header(std::span<const std::uint32_t> words) {
  if (words.size_bytes() > kMaxModuleBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("module has {} bytes, the limit is {}", words.size_bytes(), kMaxModuleBytes));
  }
  if (words.empty()) {
    return fail(ErrorCode::CompileFailed, fmt::format("module is empty, it needs at least {} words", kHeaderWords));
  }
  constexpr std::uint32_t kMagic = spv::MagicNumber;
  if (words[0] == std::byteswap(kMagic)) {
    return fail(ErrorCode::CompileFailed, "module has its bytes swapped, it needs the byte order of this machine");
  }
  if (words[0] != kMagic) {
    return fail(ErrorCode::CompileFailed,
                fmt::format("module starts with {:#010x}, it needs {:#010x}", words[0], kMagic));
  }
  if (words.size() < kHeaderWords) {
    return fail(ErrorCode::CompileFailed,
                fmt::format("module has {} words, it needs at least {}", words.size(), kHeaderWords));
  }
  if (words[3] == 0) return fail(ErrorCode::CompileFailed, "module has an id bound of 0, it needs at least 1");
  if (words[3] > kMaxIdBound) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("module has an id bound of {}, the limit is {}", words[3], kMaxIdBound));
  }
  return {};
}

}  // namespace vyre::program::spirv
