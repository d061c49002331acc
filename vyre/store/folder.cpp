#include <vyre/store/folder.hpp>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace vyre::store {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLockRetry{5};
constexpr int kLockTries = 400;

std::unexpected<Error> cannot(const char* what, const fs::path& path, int error) {
  return fail(ErrorCode::Unavailable,
              fmt::format("cannot {} '{}': {}", what, path.string(), std::generic_category().message(error)));
}

}  // namespace

Result<fs::path> user_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path{cache}.is_absolute()) return cache;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && fs::path{home}.is_absolute()) return fs::path{home} / ".cache";
  return fail(ErrorCode::Unavailable, "there is no folder for caches: neither XDG_CACHE_HOME nor HOME is a full path");
}

Result<void> check_private(const fs::path& path, fs::file_type kind) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) return cannot("look at", path, errno);
  const bool is_folder = kind == fs::file_type::directory;
  if (is_folder ? !S_ISDIR(found.st_mode) : !S_ISREG(found.st_mode)) {
    return fail(ErrorCode::Unavailable, fmt::format("'{}' is no {}", path.string(), is_folder ? "folder" : "file"));
  }
  if (found.st_uid != geteuid()) {
    return fail(ErrorCode::Unavailable, fmt::format("'{}' belongs to user {}, this process runs as user {}",
                                                    path.string(), found.st_uid, geteuid()));
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::Unavailable, fmt::format("others can write to '{}', its mode is {:03o}", path.string(),
                                                    static_cast<unsigned>(found.st_mode & 0777)));
  }
  return {};
}

Result<void> make_private_folder(const fs::path& folder) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    if (mkdir(made.c_str(), 0700) == 0 || errno == EEXIST) continue;
    const int error = errno;
    std::error_code ignored;
    // A folder above it may be one that nothing can be made in, and be there all the same.
    if (!fs::is_directory(made, ignored)) return cannot("make", made, error);
  }
  return check_private(folder, fs::file_type::directory);
}

Result<void> make_private_file(const fs::path& file) {
  const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made >= 0) {
    close(made);
  } else if (errno != EEXIST) {
    struct stat found{};
    const int error = errno;
    if (lstat(file.c_str(), &found) != 0) return cannot("make", file, error);
  }
  return check_private(file, fs::file_type::regular);
}

FileLock::FileLock(const fs::path& file) : file_{open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)} {
  for (int i = 0; file_ >= 0 && !is_held_ && i < kLockTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kLockRetry);
    is_held_ = flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
}

FileLock::~FileLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace vyre::store
