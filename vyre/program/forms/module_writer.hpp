#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <vyre/program/spirv/module.hpp>

namespace vyre::program::forms {

using spirv::Id;
using Words = std::vector<std::uint32_t>;

/// Adds one instruction.
void emit(Words& to, spv::Op op, std::initializer_list<std::uint32_t> operands);
void emit(Words& to, spv::Op op, std::span<const std::uint32_t> operands);

/// A module that is being written, section by section, from the module of the kernel. New ids begin after the ids of
/// the kernel.
///
/// SPIR-V allows some types only once in a module; for those the kernel's are used if it has them.
class ModuleWriter {
 public:
  explicit ModuleWriter(const spirv::Module& source);

  [[nodiscard]] Id fresh() noexcept { return bound_++; }

  [[nodiscard]] Id void_type() { return global(spv::OpTypeVoid, 0, {}); }
  [[nodiscard]] Id bool_type() { return global(spv::OpTypeBool, 0, {}); }
  [[nodiscard]] Id int_type(std::uint32_t width, bool is_signed) {
    if (width == 64) capability(spv::CapabilityInt64);
    return global(spv::OpTypeInt, 0, {width, is_signed ? 1U : 0U});
  }
  [[nodiscard]] Id float_type(std::uint32_t width) { return global(spv::OpTypeFloat, 0, {width}); }
  [[nodiscard]] Id uint_type() { return int_type(32, false); }
  [[nodiscard]] Id vector_type(Id component, std::uint32_t count) {
    return global(spv::OpTypeVector, 0, {component, count});
  }
  [[nodiscard]] Id pointer_type(spv::StorageClass storage, Id pointee) {
    return global(spv::OpTypePointer, 0, {static_cast<std::uint32_t>(storage), pointee});
  }
  /// A structure with its members at the given offsets.
  [[nodiscard]] Id struct_type(std::span<const std::pair<Id, std::uint32_t>> members);
  /// A structure type without a layout.
  [[nodiscard]] Id plain_struct_type(std::initializer_list<Id> members);
  [[nodiscard]] Id array_type(Id element, std::uint32_t count, std::uint32_t stride);
  /// An array type without a layout.
  [[nodiscard]] Id plain_array_type(Id element, std::uint32_t count);
  [[nodiscard]] Id runtime_array_type(Id element, std::uint32_t stride);

  [[nodiscard]] Id constant(std::uint32_t value);
  [[nodiscard]] Id signed_constant(std::int32_t value) {
    return global(spv::OpConstant, int_type(32, true), {static_cast<std::uint32_t>(value)});
  }
  [[nodiscard]] Id bool_constant(bool value) {
    return global(value ? spv::OpConstantTrue : spv::OpConstantFalse, bool_type(), {});
  }
  [[nodiscard]] Id null_constant(Id type) { return global(spv::OpConstantNull, type, {}); }
  [[nodiscard]] Id composite(Id type, std::initializer_list<Id> parts) {
    return global(spv::OpConstantComposite, type, parts);
  }
  [[nodiscard]] Id variable(spv::StorageClass storage, Id type);
  /// Adds a variable with the given id.
  void variable(spv::StorageClass storage, Id type, Id id, Id initialiser = 0);

  void capability(std::uint32_t which) { capabilities_.insert(which); }
  void extension(std::string_view name) { extensions_.insert(std::string{name}); }
  void decorate(Id target, spv::Decoration kind, std::initializer_list<std::uint32_t> parameters = {});
  void decorate_member(Id target, std::uint32_t member, spv::Decoration kind,
                       std::initializer_list<std::uint32_t> parameters = {});

  /// Appends an unchanged instruction.
  void copy(Words& to, const spirv::Instruction& instruction);

  /// Notes a global variable, which SPIR-V 1.4 and later list at the entry point.
  void add_to_interface(Id variable, bool is_input_or_output) { interface_.emplace_back(variable, is_input_or_output); }

  /// The words of the whole module.
  [[nodiscard]] Words finish(const spirv::Instruction& entry_point) const;

  Words imports;
  Words modes;
  Words names;
  Words annotations;
  Words globals;
  Words functions;

 private:
  using Key = std::tuple<spv::Op, Words>;

  /// The id of a type, or of a constant of a type, which is made if the module does not have it.
  [[nodiscard]] Id global(spv::Op op, Id type, std::initializer_list<std::uint32_t> operands);

  const spirv::Module& source_;
  std::uint32_t bound_;
  std::map<Key, Id>
      globals_;  // Types and constants made here, and those of the kernel that a module may have only once.
  std::set<std::uint32_t> capabilities_;
  std::set<std::string> extensions_;
  std::vector<std::pair<Id, bool>> interface_;
};

/// Writes instructions of a function.
class Code {
 public:
  explicit Code(ModuleWriter& module) noexcept : module_{module} {}

  /// An instruction with a result.
  Id value(spv::Op op, Id type, std::initializer_list<std::uint32_t> operands) {
    const Id id = module_.fresh();
    named(op, type, id, operands);
    return id;
  }
  /// Adds an instruction with the given result id.
  void named(spv::Op op, Id type, Id id, std::initializer_list<std::uint32_t> operands);
  void add(spv::Op op, std::initializer_list<std::uint32_t> operands) { emit(words, op, operands); }
  void label(Id id) { emit(words, spv::OpLabel, {id}); }

  Words words;

 private:
  ModuleWriter& module_;
};

}  // namespace vyre::program::forms
