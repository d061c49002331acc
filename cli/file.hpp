#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <vyre/base/error.hpp>

namespace vyre::cli {

/// An open file descriptor with a name for messages.
class File {
 public:
  File(int descriptor, std::string name, bool owned) noexcept;
  File(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File();

  /// Reads some bytes; 0 at the end.
  [[nodiscard]] Result<std::size_t> read(std::span<char> room) const;
  /// Reads everything, up to `limit` bytes; `InvalidArgument` if there is more.
  [[nodiscard]] Result<std::string> read_all(std::size_t limit) const;
  /// Writes all of the text. `Unavailable` if that fails, for example because the disk is full.
  [[nodiscard]] Result<void> write(std::string_view text) const;

 private:
  int descriptor_;
  std::string name_;
  bool owned_;
};

/// Opens a file for reading; `-` is standard input. `InvalidArgument` if it cannot be opened.
[[nodiscard]] Result<File> open_input(const std::string& path);

[[nodiscard]] File standard_output();

}  // namespace vyre::cli
