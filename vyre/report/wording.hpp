#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace vyre::report {

/// `340 ns`, `12.5 µs`
inline std::string duration(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 10'000) return fmt::format("{} ns", ns);
  if (ns < 10'000'000) return fmt::format("{:.1f} µs", value / 1e3);
  if (ns < 10'000'000'000) return fmt::format("{:.1f} ms", value / 1e6);
  return fmt::format("{:.1f} s", value / 1e9);
}

/// `1 copy`, `3 copies`
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace vyre::report
