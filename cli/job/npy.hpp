#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <vyre/base/error.hpp>

#include "cli/job/element.hpp"

namespace vyre::cli::job {

/// The header of a .npy file.
struct NpyArray {
  ElementType type = ElementType::F32;
  Shape shape = {};
  bool big_endian = false;   ///< Whether the components are big-endian.
  std::uint64_t offset = 0;  ///< The offset of the first element in the file.
  std::uint64_t bytes = 0;   ///< The size of the elements.

  friend bool operator==(const NpyArray&, const NpyArray&) = default;
};

/// Reads the header of a file, versions 1 to 3; `file` is the whole file. `InvalidArgument`, with what was found and
/// what was expected, unless it is an array of numbers in C order, and exactly its elements follow the header.
[[nodiscard]] Result<NpyArray> read_npy(std::span<const std::byte> file);

/// The header of a file with this array; the elements must be written after it.
[[nodiscard]] std::string npy_header(ElementType type, const Shape& shape);

}  // namespace vyre::cli::job
