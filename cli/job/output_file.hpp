#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <vyre/base/error.hpp>

namespace vyre::cli::job {

/// A file that appears completely or not at all. It gets its name in `commit`; until then an existing file of that name
/// stays. A pipe or a device is written directly.
class OutputFile {
 public:
  /// Makes missing folders and reserves `size` bytes on the disk. `InvalidArgument` if the file cannot be made,
  /// `Unavailable` if the disk is too full.
  [[nodiscard]] static Result<OutputFile> create(const std::filesystem::path& path, std::uint64_t size);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// `Unavailable` if it fails, for example because the disk is full.
  [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> write(std::string_view text) { return write(std::as_bytes(std::span{text})); }
  /// Waits until the bytes are on the disk. The file has no name yet.
  [[nodiscard]] Result<void> sync();
  /// Gives the file its name, replacing an existing file.
  [[nodiscard]] Result<void> commit();

 private:
  OutputFile(int descriptor, std::filesystem::path path) noexcept : descriptor_{descriptor}, path_{std::move(path)} {}
  [[nodiscard]] std::unexpected<Error> failed(std::string_view what) const;

  int descriptor_;
  std::filesystem::path path_;
  std::string temporary_ = {};  ///< Its temporary name until `commit`; empty if it has none.
  bool is_direct_ = false;      ///< Whether it is a pipe, a device or the process's own output.
};

}  // namespace vyre::cli::job
