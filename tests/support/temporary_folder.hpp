#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace vyre {

/// An empty folder that only the user can enter, gone with this. In memory, where that is possible: tests that write
/// thousands of small files would wait for the disk.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    for (const std::filesystem::path& parent :
         {std::filesystem::path{"/dev/shm"}, std::filesystem::temp_directory_path()}) {
      std::string name = parent / "vyre-test-XXXXXX";
      if (!path_.empty() || mkdtemp(name.data()) == nullptr) continue;
      path_ = name;
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace vyre
