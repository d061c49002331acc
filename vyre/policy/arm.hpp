#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <vyre/policy/slot_set.hpp>

namespace vyre::policy {

/// What one dispatch reads and writes.
struct Arm {
  SlotSet reads = {};
  SlotSet writes = {};

  friend constexpr bool operator==(const Arm&, const Arm&) = default;
};

/// Why the second arm must wait for the first, in the order in which they are looked for.
enum class ArmConflict : std::uint8_t { WriteWriteConflict, ReadAfterWrite, WriteAfterRead };

/// The arms may run at the same time.
struct Independent {
  friend constexpr bool operator==(const Independent&, const Independent&) = default;
};

/// The second arm must see the first one's end.
struct SerializeRequired {
  ArmConflict reason = ArmConflict::WriteWriteConflict;
  friend constexpr bool operator==(const SerializeRequired&, const SerializeRequired&) = default;
};

using ArmIndependence = std::variant<Independent, SerializeRequired>;

namespace detail {

/// The verdicts by which intersections are not empty: bit 0 write-write, bit 1 b reads what a writes, bit 2 b writes
/// what a reads. The lowest set bit decides. A table, because a choice among four is three jumps that do not predict.
inline constexpr std::array<ArmIndependence, 8> kArmVerdicts = {
    Independent{},
    SerializeRequired{ArmConflict::WriteWriteConflict},
    SerializeRequired{ArmConflict::ReadAfterWrite},
    SerializeRequired{ArmConflict::WriteWriteConflict},
    SerializeRequired{ArmConflict::WriteAfterRead},
    SerializeRequired{ArmConflict::WriteWriteConflict},
    SerializeRequired{ArmConflict::ReadAfterWrite},
    SerializeRequired{ArmConflict::WriteWriteConflict},
};

}  // namespace detail

/// D2: decides whether arm `b` may run beside arm `a`, which comes first.
///
/// Shared reads, and slots that one arm both reads and writes itself, are no conflict.
[[nodiscard]] constexpr ArmIndependence can_dispatch_concurrently(const Arm& a, const Arm& b) noexcept {
  const std::size_t write_write = a.writes.intersects(b.writes) ? 1 : 0;
  const std::size_t read_after_write = a.writes.intersects(b.reads) ? 2 : 0;
  const std::size_t write_after_read = a.reads.intersects(b.writes) ? 4 : 0;
  return detail::kArmVerdicts[write_write | read_after_write | write_after_read];
}

/// Whether a copy to the device may run beside a kernel.
enum class CopyOverlap : std::uint8_t { Overlap, Serialize };

/// D3: decides whether a host-to-device copy into `copy_dst_slot` may overlap the kernel.
[[nodiscard]] constexpr CopyOverlap can_overlap_copy_with_kernel(std::uint32_t copy_dst_slot,
                                                                 const Arm& kernel) noexcept {
  const bool read = kernel.reads.contains(copy_dst_slot);
  const bool written = kernel.writes.contains(copy_dst_slot);
  return (read | written) ? CopyOverlap::Serialize : CopyOverlap::Overlap;
}

/// `write-write-conflict`, `read-after-write` or `write-after-read`.
[[nodiscard]] constexpr std::string_view to_string(ArmConflict conflict) noexcept {
  switch (conflict) {
    case ArmConflict::WriteWriteConflict: return "write-write-conflict";
    case ArmConflict::ReadAfterWrite: return "read-after-write";
    case ArmConflict::WriteAfterRead: return "write-after-read";
  }
  return "write-write-conflict";
}

/// `independent` or `serialize-required:<reason>`.
[[nodiscard]] constexpr std::string to_string(const ArmIndependence& decision) {
  const auto* serialize = std::get_if<SerializeRequired>(&decision);
  return serialize != nullptr ? "serialize-required:" + std::string{to_string(serialize->reason)} : "independent";
}

/// `overlap` or `serialize`.
[[nodiscard]] constexpr std::string_view to_string(CopyOverlap decision) noexcept {
  return decision == CopyOverlap::Overlap ? "overlap" : "serialize";
}

static_assert(can_dispatch_concurrently({.reads = {7}, .writes = {1}}, {.reads = {7}, .writes = {2}}) ==
              ArmIndependence{Independent{}});
static_assert(can_overlap_copy_with_kernel(7, {.reads = {0, 1}, .writes = {2}}) == CopyOverlap::Overlap);

}  // namespace vyre::policy
