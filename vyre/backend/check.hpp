#pragma once

#include <string>
#include <vector>

#include <vyre/backend/driver.hpp>

/// What `Device` refuses without asking a driver: pure functions over values.
namespace vyre::backend {

/// `InvalidArgument` for a buffer of no bytes or more than the limit.
[[nodiscard]] Result<void> check_buffer(const BufferDesc& desc, const Limits& limits);

/// `Unsupported`, naming what the device lacks or the limit that is passed, for a program it cannot run.
[[nodiscard]] Result<void> check_program(const program::Interface& interface, const DeviceInfo& info);

/// The places for buffers of a program, by set and slot, each once. No array of buffers may be unbounded.
[[nodiscard]] std::vector<BindingSlot> slots_of(const program::Interface& interface);

/// What each range of a dispatch must be: those of `slots_of`, arrays of buffers spread out.
[[nodiscard]] std::vector<RangeRule> rules_of(const program::Interface& interface);

/// `InvalidArgument`, naming the binding, the value and the limit, for bytes of a buffer that cannot be bound.
[[nodiscard]] Result<void> check_range(const RangeRule& rule, std::uint64_t offset, std::uint64_t size,
                                       std::uint64_t buffer_bytes, const Limits& limits);

/// `InvalidArgument` for more groups than the device runs at once.
[[nodiscard]] Result<void> check_groups(const Groups& groups, const Limits& limits);

/// `binding 3 'weights'`
[[nodiscard]] std::string to_string(const RangeRule& rule);

/// `InvalidArgument`, naming the command, the binding, the value and the limit, for a list that cannot run.
[[nodiscard]] Result<void> check_list(const ListView& view, const Limits& limits);

}  // namespace vyre::backend
