#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace vyre {

/// A number that names one kind of thing and cannot be taken for another:
/// `using BufferId = Id<struct BufferTag>;`
template <typename Tag, typename Rep = std::uint32_t>
struct Id {
  Rep value{};

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace vyre

template <typename Tag, typename Rep>
struct std::hash<vyre::Id<Tag, Rep>> {
  [[nodiscard]] std::size_t operator()(const vyre::Id<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};
