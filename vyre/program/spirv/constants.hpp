#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include <vyre/program/spirv/module.hpp>
#include <vyre/program/spirv/spec_override.hpp>

namespace vyre::program::spirv {

/// A scalar integer or boolean with its width.
struct ConstantValue {
  std::uint64_t bits = 0;    ///< The bits beyond the width are zero.
  std::uint32_t width = 32;  ///< 1 for a boolean.
  bool is_signed = false;

  /// The value, sign-extended if it is signed.
  [[nodiscard]] std::int64_t as_signed() const noexcept;
  friend bool operator==(const ConstantValue&, const ConstantValue&) = default;
};

/// The low `width` bits of a value; `width` is 1 to 64.
[[nodiscard]] constexpr std::uint64_t cut_to_width(std::uint64_t bits, std::uint32_t width) noexcept {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

/// The result of an integer, bit, comparison or logical operation, or nothing if it has none (a division by zero, a
/// shift beyond the width, an operation on other types).
[[nodiscard]] std::optional<ConstantValue> fold(spv::Op op, std::span<const ConstantValue> operands,
                                                std::uint32_t width, bool is_signed) noexcept;

/// Evaluates constants and specialisation constants of a module.
class Constants {
 public:
  /// A specialisation constant that is not in `overrides` has its default. Module and overrides must outlive this.
  explicit Constants(const Module& module, std::span<const SpecOverride> overrides = {}) noexcept
      : module_{module}, overrides_{overrides} {}

  /// The value of a scalar integer or boolean constant; nothing for anything else.
  [[nodiscard]] std::optional<ConstantValue> value(Id id);
  /// The same as an unsigned number.
  [[nodiscard]] std::optional<std::uint64_t> number(Id id);

 private:
  [[nodiscard]] std::optional<ConstantValue> evaluate(const Instruction& constant, int depth);
  [[nodiscard]] std::optional<ConstantValue> evaluate_operation(const Instruction& constant, int depth);
  [[nodiscard]] std::optional<ConstantValue> value_at(Id id, int depth);
  [[nodiscard]] std::optional<std::uint64_t> override_of(Id id) const;

  const Module& module_;
  std::span<const SpecOverride> overrides_;
  std::unordered_map<Id, std::optional<ConstantValue>>
      operations_;  // Results of operations, so that each is evaluated once.
};

/// Width and sign of a scalar integer or boolean type; nothing for other types.
[[nodiscard]] std::optional<ConstantValue> scalar_shape(const Module& module, Id type) noexcept;

}  // namespace vyre::program::spirv
