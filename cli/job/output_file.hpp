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

/// A file that appears as a whole or not at all. The bytes have no name until `commit`, and a file of that name stays
/// until then. A pipe or a device is written directly.
class OutputFile {
 public:
  /// Makes the folders it needs and sets `size` bytes aside. `InvalidArgument` if it cannot be made, `Unavailable` if
  /// there is no room.
  [[nodiscard]] static Result<OutputFile> create(const std::filesystem::path& path, std::uint64_t size);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// `Unavailable` if it fails, for example because the disk is full.
  [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> write(std::string_view text) { return write(std::as_bytes(std::span{text})); }
  /// Waits until the bytes are on the disk. The file has still no name.
  [[nodiscard]] Result<void> sync();
  /// Gives the file its name, in the place of a file that has it.
  [[nodiscard]] Result<void> commit();

 private:
  OutputFile(int descriptor, std::filesystem::path path) noexcept : descriptor_{descriptor}, path_{std::move(path)} {}
  [[nodiscard]] std::unexpected<Error> failed(std::string_view what) const;

  int descriptor_;
  std::filesystem::path path_;
  std::string temporary_ = {};  ///< Its name until it is committed; empty if it has none.
  bool is_direct_ = false;      ///< A pipe or a device.
};

}  // namespace vyre::cli::job
