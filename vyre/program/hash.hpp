#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace vyre::program {

/// A 128-bit hash: the same on every machine and in every run.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// 32 hexadecimal digits.
[[nodiscard]] std::string to_string(const Hash128& hash);

/// Hashes a sequence of values (XXH3). The hash depends on their order, and on where one value ends and the next
/// begins.
class Hasher {
 public:
  Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher();

  Hasher& add(std::uint64_t value);
  Hasher& add(std::string_view text);
  Hasher& add(std::span<const std::uint32_t> words);
  [[nodiscard]] Hash128 finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vyre::program

template <>
struct std::hash<vyre::program::Hash128> {
  [[nodiscard]] std::size_t operator()(const vyre::program::Hash128& value) const noexcept { return value.low; }
};
