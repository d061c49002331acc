#pragma once

#include <filesystem>

#include <vyre/base/error.hpp>

namespace vyre::store {

/// The user's folder for caches: `$XDG_CACHE_HOME` if that is an absolute path, otherwise `~/.cache`. `Unavailable` if
/// there is no home either.
[[nodiscard]] Result<std::filesystem::path> user_cache_folder();

/// Makes a folder that only the user can enter, with all folders above it, if it is not there. `Unavailable` if it
/// cannot be made, is no folder, belongs to another user, or others can write to it.
[[nodiscard]] Result<void> make_private_folder(const std::filesystem::path& folder);

/// Makes an empty file that only the user can read, if it is not there. `Unavailable` as above.
[[nodiscard]] Result<void> make_private_file(const std::filesystem::path& file);

/// `Unavailable` if a file or folder is not there, is of another kind, belongs to another user, or others can write to
/// it.
[[nodiscard]] Result<void> check_private(const std::filesystem::path& path, std::filesystem::file_type kind);

/// A lock between processes, by a file. It is released with this, and with the process.
class FileLock {
 public:
  /// Waits for a lock for two seconds at most. A lock that cannot be had is not `is_held`.
  explicit FileLock(const std::filesystem::path& file);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  [[nodiscard]] bool is_held() const noexcept { return is_held_; }

 private:
  int file_ = -1;
  bool is_held_ = false;
};

}  // namespace vyre::store
