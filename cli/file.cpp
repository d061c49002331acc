#include "cli/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli {
namespace {

std::unexpected<Error> failed(ErrorCode code, std::string_view what, std::string_view name) {
  return fail(code, fmt::format("cannot {} {}: {}", what, name, std::generic_category().message(errno)));
}

}  // namespace

File::File(int descriptor, std::string name, bool owned) noexcept
    : descriptor_{descriptor}, name_{std::move(name)}, owned_{owned} {}

File::File(File&& other) noexcept
    : descriptor_{other.descriptor_}, name_{std::move(other.name_)}, owned_{std::exchange(other.owned_, false)} {}

File::~File() {
  if (owned_) ::close(descriptor_);
}

Result<std::size_t> File::read(std::span<char> room) const {
  for (;;) {
    const ssize_t count = ::read(descriptor_, room.data(), room.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return failed(ErrorCode::InvalidArgument, "read", name_);
  }
}

Result<std::string> File::read_all(std::size_t limit) const {
  constexpr std::size_t kStep = std::size_t{64} << 10;
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kStep);
    VYRE_ASSIGN(const std::size_t count, read(std::span{text}.subspan(before)));
    text.resize(before + count);
    if (count == 0) return text;
    if (text.size() > limit) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} has more than {} bytes, that is the limit", name_, limit));
    }
  }
}

Result<void> File::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(ErrorCode::Unavailable, "write to", name_);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<File> open_input(const std::string& path) {
  if (path == "-") return File{STDIN_FILENO, "standard input", false};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed(ErrorCode::InvalidArgument, "open", fmt::format("'{}'", path));
  return File{descriptor, fmt::format("'{}'", path), true};
}

File standard_output() { return {STDOUT_FILENO, "standard output", false}; }

}  // namespace vyre::cli
