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
  bool big_endian = false;   ///< Whether the bytes of each component are in the other order.
  std::uint64_t offset = 0;  ///< Of the elements in the file.
  std::uint64_t bytes = 0;   ///< Of the elements.

  friend bool operator==(const NpyArray&, const NpyArray&) = default;
};

/// Reads the header of a whole file, versions 1 to 3. `InvalidArgument`, with what was found and what was expected, for
/// anything but an array of numbers in C order with exactly its elements behind it.
[[nodiscard]] Result<NpyArray> read_npy(std::span<const std::byte> file);

/// The header of a file with an array; its elements follow.
[[nodiscard]] std::string npy_header(ElementType type, const Shape& shape);

}  // namespace vyre::cli::job
