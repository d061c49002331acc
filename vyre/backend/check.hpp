#pragma once

#include <string>
#include <vector>

#include <vyre/backend/driver.hpp>

/// The checks that `Device` makes without asking a driver: pure functions over values.
namespace vyre::backend {

/// `InvalidArgument`, naming the option, its value and the limit, for an option beyond its limit or the device's.
[[nodiscard]] Result<void> check_options(const DeviceOptions& options, const DeviceInfo& info);

/// `InvalidArgument`, naming what differs, if `asked` does not describe the device that was opened for it.
[[nodiscard]] Result<void> check_opened(DeviceInfo asked, const DeviceInfo& opened);

/// The most buffers of one program, whatever its form. The limit keeps dispatches fast: a session compares every pair
/// of a dispatch's buffers to see whether they overlap.
inline constexpr std::uint64_t kMaxBuffers = 1'024;

/// `Unsupported`, with the number and the limit, for a program of more than `kMaxBuffers`, and for an array of buffers
/// without a length.
[[nodiscard]] Result<void> check_buffers(const program::Interface& interface);

/// `InvalidArgument` for a buffer of 0 bytes or beyond the limit, and for a kind of memory that does not exist.
[[nodiscard]] Result<void> check_buffer(const BufferDesc& desc, const Limits& limits);

/// `Unsupported`, naming the largest variable or value, for a kernel whose variables or values are larger than one
/// invocation or workgroup may have. Drivers do not check this, and some end the process instead. A part of
/// `check_program`.
[[nodiscard]] Result<void> check_kept(const program::Interface& interface, const Limits& limits);

/// `Unsupported`, naming what the device lacks or the limit that is exceeded, for a program it cannot run.
[[nodiscard]] Result<void> check_program(const program::Interface& interface, const DeviceInfo& info);

/// The bindings of a program as slots, sorted by set and slot. Precondition: every array of buffers has a length.
[[nodiscard]] std::vector<BindingSlot> slots_of(const program::Interface& interface);

/// The rule for each range of a dispatch, in the order of its ranges. An array of buffers has a rule for each element.
[[nodiscard]] std::vector<RangeRule> rules_of(const program::Interface& interface);

/// Whether a range of a buffer can be bound.
[[nodiscard]] constexpr bool is_bindable(const RangeRule& rule, std::uint64_t offset, std::uint64_t size,
                                         std::uint64_t buffer_bytes, const Limits& limits) noexcept {
  const bool is_storage = rule.kind == program::BindingKind::StorageBuffer;
  const std::uint64_t alignment = is_storage ? limits.storage_alignment : limits.uniform_alignment;
  const std::uint64_t limit = is_storage ? limits.max_storage_range : limits.max_uniform_range;
  return (offset & (alignment - 1)) == 0 && offset < buffer_bytes && size <= buffer_bytes - offset && size > 0 &&
         size >= rule.min_bytes && size <= limit;
}

/// `InvalidArgument`, naming the binding, the value and the limit, for a range that cannot be bound.
[[nodiscard]] Result<void> check_range(const RangeRule& rule, std::uint64_t offset, std::uint64_t size,
                                       std::uint64_t buffer_bytes, const Limits& limits);

[[nodiscard]] constexpr bool is_launchable(const Groups& groups, const Limits& limits) noexcept {
  return groups[0] <= limits.max_groups[0] && groups[1] <= limits.max_groups[1] && groups[2] <= limits.max_groups[2];
}

/// `InvalidArgument` for more workgroups than the device allows in one dispatch.
[[nodiscard]] Result<void> check_groups(const Groups& groups, const Limits& limits);

/// `binding 3 'weights'`
[[nodiscard]] std::string to_string(const RangeRule& rule);

/// `InvalidArgument`, naming the command, the binding, the value and the limit, for a list that cannot run. Otherwise
/// gives whether the list has dispatches in other forms than the descriptor form.
[[nodiscard]] Result<bool> check_list(const ListView& view, const Limits& limits);

}  // namespace vyre::backend
