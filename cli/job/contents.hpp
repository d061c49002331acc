#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "cli/job/job.hpp"

namespace vyre::cli::job {

/// Makes the elements of a buffer that is not from a file. They can be made in any order.
class Generator {
 public:
  /// `InvalidArgument`, with file and line, if an element would not fit the type.
  [[nodiscard]] static Result<Generator> make(std::string_view file, const BufferSource& buffer);

  /// Writes the elements from number `first` on.
  void fill(std::uint64_t first, std::span<std::byte> out) const noexcept;

 private:
  struct Same {
    std::uint64_t bits = 0;
  };
  struct WholeRange {
    i128 start = 0;
    i128 step = 0;
  };
  struct FloatRange {
    double start = 0;
    double step = 0;
  };
  struct RandomWhole {
    std::uint64_t seed = 0;
    i128 min = 0;
    i128 count = 1;  ///< The number of values to choose from.
  };
  struct RandomFloat {
    std::uint64_t seed = 0;
    double min = 0;
    double max = 1;
  };
  using Rule = std::variant<Same, WholeRange, FloatRange, RandomWhole, RandomFloat>;

  Generator(ElementType type, Rule rule) noexcept : scalar_{scalar_of(type)}, rule_{rule} {}
  [[nodiscard]] static Result<Rule> make_range(const BufferSource& buffer, const RangeContents& range);
  [[nodiscard]] static Result<Rule> make_random(const BufferSource& buffer, const RandomContents& random);
  [[nodiscard]] std::uint64_t bits_of(std::uint64_t index) const noexcept;

  program::ScalarType scalar_;
  Rule rule_;
};

/// Reverses the bytes of each component.
void swap_bytes(std::span<std::byte> elements, ElementType type) noexcept;

}  // namespace vyre::cli::job
