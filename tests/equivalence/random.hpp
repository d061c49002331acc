#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vyre::tests {

/// SplitMix64: the same numbers with every standard library.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_{seed} {}

  constexpr std::uint64_t next() noexcept {
    std::uint64_t bits = state_ += 0x9e37'79b9'7f4a'7c15;
    bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
    bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
    return bits ^ bits >> 31;
  }
  constexpr std::uint32_t word() noexcept { return static_cast<std::uint32_t>(next() >> 32); }
  /// From 0 to `count` - 1.
  constexpr std::uint64_t below(std::uint64_t count) noexcept { return next() % count; }
  /// From `low` to `high`, both included.
  constexpr std::uint64_t between(std::uint64_t low, std::uint64_t high) noexcept {
    return low + below(high - low + 1);
  }
  constexpr bool percent(std::uint64_t chance) noexcept { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

/// So many bytes of a seed.
[[nodiscard]] inline std::vector<std::byte> bytes_of_seed(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next() >> 56);
  return bytes;
}

}  // namespace vyre::tests
