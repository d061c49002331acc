#include "cli/job/comparison.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <vyre/base/check.hpp>

namespace vyre::cli::job {

bool Comparison::is_same(std::span<const std::byte> found, std::span<const std::byte> expected) const noexcept {
  if (tolerance_.is_bytewise) return std::memcmp(found.data(), expected.data(), bytes_of(type_)) == 0;
  const std::size_t components = components_of(type_);
  const std::size_t found_size = bytes_of(type_) / components;
  const std::size_t expected_size = bytes_of(expected_type_) / components;
  for (std::size_t i = 0; i < components; ++i) {
    const long double a = load(found.subspan(i * found_size), type_);
    const long double b = load(expected.subspan(i * expected_size), expected_type_);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!tolerance_.is_close || !std::isfinite(b)) return false;
    const long double allowed = static_cast<long double>(tolerance_.atol) + tolerance_.rtol * std::abs(b);
    if (!(std::abs(a - b) <= allowed)) return false;
  }
  return true;
}

void Comparison::add(std::span<const std::byte> found, std::span<const std::byte> expected) {
  const std::size_t found_size = bytes_of(type_);
  const std::size_t expected_size = bytes_of(expected_type_);
  VYRE_CHECK(found.size() / found_size == expected.size() / expected_size, "as many elements are expected as found");
  if (type_ == expected_type_ && std::memcmp(found.data(), expected.data(), found.size()) == 0) {
    count_ += found.size() / found_size;
    return;
  }
  for (; found.size() >= found_size; found = found.subspan(found_size), expected = expected.subspan(expected_size)) {
    if (!is_same(found, expected) && different_++ == 0) {
      first_index_ = count_;
      first_found_ = element_text(found, type_);
      first_expected_ = element_text(expected, expected_type_);
    }
    ++count_;
  }
}

std::string Comparison::describe(const Shape& shape) const {
  return fmt::format("element {} is {}, expected is {}; {} of {} differ", index_text(first_index_, shape), first_found_,
                     first_expected_, different_, count_);
}

}  // namespace vyre::cli::job
