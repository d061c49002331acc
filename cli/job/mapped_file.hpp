#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include <vyre/base/error.hpp>

namespace vyre::cli::job {

/// A file that is mapped into memory.
///
/// If another program makes the file shorter, reading its bytes ends the process; `say_if_files_shrink` adds a message.
class MappedFile {
 public:
  /// `InvalidArgument` if the file cannot be read, or is not a regular file.
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  /// Gives memory back to the system after its bytes were read. The bytes stay readable: the system reads them again.
  void forget(std::uint64_t offset, std::uint64_t size) const noexcept;

 private:
  MappedFile(const std::byte* data, std::size_t size) noexcept : data_{data}, size_{size} {}

  const std::byte* data_;
  std::size_t size_;
};

/// From now on, if a mapped file is made shorter, the process ends with a message and the exit code of `Unavailable`.
void say_if_files_shrink();

}  // namespace vyre::cli::job
