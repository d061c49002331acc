#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vyre::program::spirv {

/// The kind of an operand, as in the machine-readable grammar, sorted by category.
enum class OperandKind : std::uint8_t {
#define VYRE_OPERAND_KIND(kind, category) kind,
#include <vyre_spirv_operand_kinds.inc>
#undef VYRE_OPERAND_KIND
};

enum class OperandCategory : std::uint8_t { BitEnum, ValueEnum, Id, Literal, Composite };

enum class Quantifier : std::uint8_t { One, Optional, Any };

/// An operand as the grammar declares it.
struct OperandSpec {
  OperandKind kind;
  Quantifier quantifier;
};

/// An instruction as the grammar declares it.
struct OpcodeInfo {
  std::string_view name;  ///< "OpLoad"
  std::uint16_t opcode;
  std::uint16_t first_operand;
  std::uint8_t operand_count;
  bool has_type;                   ///< The first operand is the result's type.
  bool has_result;                 ///< The next one is the result.
  std::uint8_t required_operands;  ///< The number of operands that are never missing.
  std::uint8_t leading_ids;        ///< How many of them, counted from the first, are ids.
  bool only_ids_follow;            ///< Whether all operands after the required ones are ids.

  /// All operands, type and result included.
  [[nodiscard]] std::span<const OperandSpec> operands() const noexcept;
};

/// The instruction of an opcode, or null if the grammar does not have it.
[[nodiscard]] const OpcodeInfo* find_opcode(std::uint32_t opcode) noexcept;

namespace detail {

inline constexpr OperandCategory kCategories[] = {
#define VYRE_OPERAND_KIND(kind, category) OperandCategory::category,
#include <vyre_spirv_operand_kinds.inc>
#undef VYRE_OPERAND_KIND
};

}  // namespace detail

[[nodiscard]] constexpr OperandCategory category(OperandKind kind) noexcept {
  return detail::kCategories[static_cast<std::size_t>(kind)];
}

/// The operands that follow an enumerant; for a bit enumeration, give a single bit. None for one that the grammar does
/// not have.
[[nodiscard]] std::span<const OperandSpec> enumerant_parameters(OperandKind kind, std::uint32_t value) noexcept;

/// The name of an enumerant, "Float64" of (Capability, 10); empty for one the grammar does not have.
[[nodiscard]] std::string_view enumerant_name(OperandKind kind, std::uint32_t value) noexcept;

/// Whether an extension is known: the grammar names it, or it adds nothing to the grammar.
[[nodiscard]] bool is_known_extension(std::string_view name) noexcept;
/// The name of an enumerant by the grammar or by `kNewerEnumerants`; its number if neither has it.
[[nodiscard]] std::string name_of(OperandKind kind, std::uint32_t value);

}  // namespace vyre::program::spirv
