#include "cli/job/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli::job {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot(ErrorCode code, std::string_view what, const fs::path& path, int error) {
  return fail(code, fmt::format("cannot {} '{}': {}", what, path.string(), std::generic_category().message(error)));
}

bool is_about_room(int error) noexcept { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

/// An unused name in the same folder. It does not contain the name of the file, which may already be as long as the
/// file system allows.
std::string temporary_name(const fs::path& path) {
  static unsigned count = 0;
  return path.parent_path() / fmt::format(".vyre-{}-{}.part", ::getpid(), count++);
}

mode_t new_file_mode() noexcept {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<OutputFile> OutputFile::create(const fs::path& wanted, std::uint64_t size) {
  std::error_code error;
  // If the path is a link, replaces the file that it leads to, and not the link.
  fs::path path = fs::weakly_canonical(wanted, error);
  if (error) path = wanted;
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  // Reported now, because the file gets its name only after everything has run.
  if (!exists && errno == ENAMETOOLONG) return cannot(ErrorCode::InvalidArgument, "write", wanted, errno);
  // If the path is the file to which standard output or error goes, writes to it directly: replacing that file would
  // lose what else is printed.
  for (const int own : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open_status = {};
    if (!exists || ::fstat(own, &open_status) != 0) continue;
    if (open_status.st_dev != status.st_dev || open_status.st_ino != status.st_ino) continue;
    const int direct = ::fcntl(own, F_DUPFD_CLOEXEC, 0);
    if (direct < 0) return cannot(ErrorCode::Unavailable, "write", wanted, errno);
    OutputFile file{direct, wanted};
    file.is_direct_ = true;
    return file;
  }
  if (exists && S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::InvalidArgument, fmt::format("'{}' is a folder, a file is to be written", wanted.string()));
  }
  if (exists && !S_ISREG(status.st_mode)) {
    const int direct = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (direct < 0) return cannot(ErrorCode::InvalidArgument, "write", wanted, errno);
    OutputFile file{direct, wanted};
    file.is_direct_ = true;
    return file;
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  fs::create_directories(folder, error);
  if (error) return cannot(ErrorCode::InvalidArgument, "make the folder", folder, error.value());

  // A file without a name (O_TMPFILE) disappears if the process is killed. Not every file system has such files, and
  // giving one its name needs /proc.
  const bool has_proc = ::access("/proc/self/fd", X_OK) == 0;
  int descriptor = has_proc ? ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
  std::string temporary;
  if (descriptor < 0) {
    temporary = temporary_name(path);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  if (descriptor < 0) {
    const ErrorCode code = is_about_room(errno) ? ErrorCode::Unavailable : ErrorCode::InvalidArgument;
    return cannot(code, "write", wanted, errno);
  }
  OutputFile file{descriptor, std::move(path)};
  file.temporary_ = std::move(temporary);
  ::fchmod(descriptor, exists ? status.st_mode & 07777 : new_file_mode());
  if (size > 0 && ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0 &&
      is_about_room(errno)) {
    return fail(ErrorCode::Unavailable, fmt::format("there is no room for the {} bytes of '{}': {}", size,
                                                    wanted.string(), std::generic_category().message(errno)));
  }
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)},
      path_{std::move(other.path_)},
      temporary_{std::exchange(other.temporary_, {})},
      is_direct_{other.is_direct_} {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::unexpected<Error> OutputFile::failed(std::string_view what) const {
  return cannot(ErrorCode::Unavailable, what, path_, errno);
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> OutputFile::sync() {
  if (!is_direct_ && ::fsync(descriptor_) != 0) return failed("write");
  return {};
}

Result<void> OutputFile::commit() {
  if (is_direct_) return {};
  if (temporary_.empty()) {
    // A file without a name cannot replace another file directly, so it gets a temporary name first.
    const std::string name = temporary_name(path_);
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return failed("write");
    temporary_ = name;
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failed("write");
  temporary_.clear();
  return {};
}

}  // namespace vyre::cli::job
