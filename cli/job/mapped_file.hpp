#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include <vyre/base/error.hpp>

namespace vyre::cli::job {

/// The bytes of a file, seen where the system has them.
///
/// They may end the process if the file is made shorter meanwhile; `say_if_files_shrink` makes it say so.
class MappedFile {
 public:
  /// `InvalidArgument` if it cannot be read, or is no regular file.
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  /// Gives the memory of bytes that were read back to the system; they stay readable.
  void forget(std::uint64_t offset, std::uint64_t size) const noexcept;

 private:
  MappedFile(const std::byte* data, std::size_t size) noexcept : data_{data}, size_{size} {}

  const std::byte* data_;
  std::size_t size_;
};

/// From now on a mapped file that was made shorter ends the process with a message and the exit code of `Unavailable`.
void say_if_files_shrink();

}  // namespace vyre::cli::job
