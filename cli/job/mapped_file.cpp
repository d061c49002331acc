#include "cli/job/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/command.hpp"

namespace vyre::cli::job {
namespace {

std::unexpected<Error> failed(std::string_view what, const std::filesystem::path& path) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("cannot {} '{}': {}", what, path.string(), std::generic_category().message(errno)));
}

void on_shrunk_file(int /*signal*/) {
  constexpr std::string_view kMessage = "error[unavailable]: a file became shorter while it was read\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(to_exit_code(ErrorCode::Unavailable));
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return failed("open", path);
  const auto map = [&]() -> Result<MappedFile> {
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) return failed("read", path);
    if (!S_ISREG(status.st_mode)) {
      return fail(ErrorCode::InvalidArgument, fmt::format("'{}' is {}, a file is expected", path.string(),
                                                          S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe"));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return MappedFile{nullptr, 0};
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) return failed("map", path);
    ::madvise(data, size, MADV_SEQUENTIAL);
    return MappedFile{static_cast<const std::byte*>(data), size};
  };
  Result<MappedFile> mapped = map();
  ::close(descriptor);
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::forget(std::uint64_t offset, std::uint64_t size) const noexcept {
  static const auto kPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = offset / kPage * kPage;
  if (data_ == nullptr || size == 0) return;
  ::madvise(const_cast<std::byte*>(data_) + begin, offset + size - begin, MADV_DONTNEED);
}

void say_if_files_shrink() {
  struct sigaction action = {};
  action.sa_handler = on_shrunk_file;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace vyre::cli::job
