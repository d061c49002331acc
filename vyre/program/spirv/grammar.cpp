#include <vyre/program/spirv/grammar.hpp>

#include <vyre/program/spirv/newer.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace vyre::program::spirv {
namespace {

struct Enumerant {
  OperandKind kind;
  std::uint32_t value;
  std::uint16_t first_parameter;
  std::uint8_t parameter_count;
  std::string_view name;
};

#include <vyre_spirv_tables.inc>

/// Extensions that the grammar does not name, because they add only extended instructions or rules.
constexpr auto kPlainExtensions =
    std::to_array<std::string_view>({"SPV_AMD_gcn_shader", "SPV_AMD_gpu_shader_half_float", "SPV_AMD_gpu_shader_int16",
                                     "SPV_AMD_shader_trinary_minmax", "SPV_KHR_non_semantic_info"});

constexpr std::uint32_t kOpcodeEnd = kOpcodes[std::size(kOpcodes) - 1].opcode + 1U;
constexpr std::uint16_t kNoOpcode = 0xffff;

/// By opcode: its index in kOpcodes.
constexpr std::array<std::uint16_t, kOpcodeEnd> kOpcodeIndex = [] {
  std::array<std::uint16_t, kOpcodeEnd> index{};
  index.fill(kNoOpcode);
  for (std::size_t i = 0; i < std::size(kOpcodes); ++i) index[kOpcodes[i].opcode] = static_cast<std::uint16_t>(i);
  return index;
}();

const Enumerant* find_enumerant(OperandKind kind, std::uint32_t value) noexcept {
  const auto key = [](const Enumerant& enumerant) { return std::pair{enumerant.kind, enumerant.value}; };
  const auto* found = std::ranges::lower_bound(kEnumerants, std::pair{kind, value}, {}, key);
  return found != std::end(kEnumerants) && key(*found) == std::pair{kind, value} ? found : nullptr;
}

}  // namespace

std::span<const OperandSpec> OpcodeInfo::operands() const noexcept {
  return {kOperandSpecs + first_operand, operand_count};
}

const OpcodeInfo* find_opcode(std::uint32_t opcode) noexcept {
  if (opcode >= kOpcodeEnd || kOpcodeIndex[opcode] == kNoOpcode) return nullptr;
  return &kOpcodes[kOpcodeIndex[opcode]];
}

std::span<const OperandSpec> enumerant_parameters(OperandKind kind, std::uint32_t value) noexcept {
  const Enumerant* found = find_enumerant(kind, value);
  if (found == nullptr) return {};
  return {kOperandSpecs + found->first_parameter, found->parameter_count};
}

std::string_view enumerant_name(OperandKind kind, std::uint32_t value) noexcept {
  const Enumerant* found = find_enumerant(kind, value);
  return found != nullptr ? found->name : std::string_view{};
}

bool is_known_extension(std::string_view name) noexcept {
  return std::ranges::binary_search(kExtensions, name) || std::ranges::binary_search(kPlainExtensions, name);
}

std::string name_of(OperandKind kind, std::uint32_t value) {
  if (const std::string_view known = enumerant_name(kind, value); !known.empty()) return std::string{known};
  for (const NewerEnumerant& newer : kNewerEnumerants) {
    if (newer.kind == kind && newer.value == value) return std::string{newer.name};
  }
  return std::to_string(value);
}

}  // namespace vyre::program::spirv
