#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <vyre/runtime/buffer_table.hpp>
#include <vyre/runtime/compiled_program.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::runtime {

/// A dispatch that has passed all checks.
struct CheckedDispatch {
  std::uint32_t program = 0;  ///< The program's number in the program table.
  std::span<const backend::BufferRange> ranges = {};
  /// By range: the number of its buffer; `BufferTable::kNoBuffer` if the dispatch leaves the binding out.
  std::span<const std::uint32_t> buffers = {};
  backend::Groups groups = {1, 1, 1};
  std::span<const std::byte> params = {};  ///< The bytes of the push-constant block.
  std::uint64_t hash = 0;
  std::uint32_t repeat = 1;
  std::string_view label = {};
};

/// Checks dispatches against their program, their buffers and the device, and brings their parameters into the layout
/// of the program.
///
/// A binding that the program does not need is left out of the dispatch, even if a buffer is given for it.
///
/// Mistakes are refused with `InvalidArgument` that names the binding, parameter or dimension, and the limit. The spans
/// that members give are valid until the next call. Thread safety: one thread at a time.
class DispatchCheck {
 public:
  explicit DispatchCheck(const backend::Limits& limits) noexcept : limits_{limits} {}

  /// Checks a dispatch of a program, which has this number. Overlapping buffers are not a mistake; `overlapping` then
  /// says which bindings overlap, and the dispatch must run as a variant of the program.
  [[nodiscard]] Result<CheckedDispatch> check(const CompiledProgram& program, std::uint32_t number,
                                              BufferTable& buffers, std::span<const Argument> arguments,
                                              const DispatchOptions& options);
  /// Checks whether a dispatch that `check` has just given may run as `variant`, in which some bindings are declared
  /// `Aliased`. Gives it as a dispatch of the variant.
  [[nodiscard]] Result<CheckedDispatch> check_variant(const CompiledProgram& variant, std::uint32_t number,
                                                      const BufferTable& buffers, CheckedDispatch dispatch) const;

  /// Checks many dispatches of a program. Afterwards `item_params` gives their parameters.
  [[nodiscard]] Result<void> check_items(const CompiledProgram& program, BufferTable& buffers,
                                         std::span<const DispatchItem> items);
  [[nodiscard]] Result<void> check_items_variant(const CompiledProgram& variant, const BufferTable& buffers,
                                                 std::span<const DispatchItem> items) const;
  /// The parameters of all items, one after another, `push_bytes` of the program for each.
  [[nodiscard]] std::span<const std::byte> item_params() const noexcept { return item_params_; }

  /// By slot: whether its view overlaps that of another slot, and the program writes one of the two. Empty if none
  /// does.
  [[nodiscard]] const std::vector<bool>& overlapping() const noexcept { return overlapping_; }

  /// The parameters of a dispatch in the layout of the program's push-constant block.
  [[nodiscard]] Result<std::span<const std::byte>> lay_out_params(const CompiledProgram& program, const Params& params);

 private:
  [[nodiscard]] Result<void> bind(const CompiledProgram& program, BufferTable& buffers,
                                  std::span<const Argument> arguments);
  [[nodiscard]] Result<void> bind_by_name(const CompiledProgram& program, BufferTable& buffers,
                                          std::span<const Argument> arguments);
  /// Whether a slot may be left out for which `view` is given and not bound; fails with `cannot_bind` otherwise.
  [[nodiscard]] Result<void> check_left_out(BufferTable& buffers, const plan::PlannedBinding& slot,
                                            const BufferView& view) const;
  /// Leaves a slot out that the program does not need; fails with `cannot_bind` where it does need it.
  [[nodiscard]] Result<void> leave_out(BufferTable& buffers, const plan::PlannedBinding& slot, const BufferView& view);
  /// Binds a view to a slot. False if it cannot be bound there; `leave_out` then leaves it out or gives the error.
  [[nodiscard]] bool bind(BufferTable& buffers, const plan::PlannedBinding& slot, const BufferView& view) {
    const BufferSlot* buffer = buffers.find_bindable(slot, view);
    if (buffer == nullptr) [[unlikely]]
      return false;
    ranges_.push_back({.buffer = buffer->handle, .offset = view.offset, .size = view.size});
    touched_.push_back(view.index);
    return true;
  }
  void find_overlaps(const CompiledProgram& program);
  [[nodiscard]] Result<void> check_item(const CompiledProgram& program, BufferTable& buffers, const DispatchItem& item,
                                        std::byte* params);
  [[nodiscard]] std::unexpected<Error> cannot_bind(BufferTable& buffers, const plan::PlannedBinding& slot,
                                                   const BufferView& view) const;
  /// Checks a view against a slot of a variant. The program may allow a view that the variant refuses, because its
  /// uniform blocks have become storage buffers, which need another alignment.
  [[nodiscard]] Result<void> check_in_place(const plan::PlannedBinding& slot, const BufferSlot& buffer,
                                            std::uint64_t offset, std::uint64_t size) const;

  backend::Limits limits_;
  std::vector<backend::BufferRange> ranges_;
  std::vector<std::uint32_t> touched_;
  std::vector<bool> overlapping_;
  std::vector<std::byte> item_params_;
  std::array<std::byte, Params::kMaxBytes> params_ = {};
};

/// `InvalidArgument`, naming both bindings, if two ranges of a dispatch overlap that must not.
[[nodiscard]] Result<void> check_apart(const CompiledProgram& program, std::span<const backend::BufferRange> ranges);

}  // namespace vyre::runtime
