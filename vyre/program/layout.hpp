#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// How the types of a module lie in memory.
///
/// Works for modules that were never validated: a type without a size has size 0.
class Layout {
 public:
  /// Both must outlive this.
  Layout(const spirv::Module& module, spirv::Constants& constants) noexcept : module_{module}, constants_{constants} {}

  /// The members of a structure with their layout in a block, also those of inner structures.
  [[nodiscard]] std::vector<Member> members(spirv::Id structure);
  /// The bytes up to the end of the last member; a runtime array counts as 0 bytes.
  [[nodiscard]] static std::uint64_t size_of(const std::vector<Member>& members) noexcept;
  /// The size of a type without a layout, for example in workgroup memory, if it is packed tightly.
  [[nodiscard]] std::uint64_t packed_size(spirv::Id type);
  /// The scalar type with this id; nothing if the id is not one.
  [[nodiscard]] std::optional<ScalarType> scalar(spirv::Id type) const;
  /// The length of an array type, 0 if that is not known; nothing for a runtime array.
  [[nodiscard]] std::optional<std::uint64_t> array_length(spirv::Id type);

  /// The most members of all calls together. Without a limit, structures that share inner structures could have any
  /// number.
  static constexpr std::uint64_t kMaxMembers = 100'000;
  /// Whether that limit was exceeded, so that sizes and members are missing.
  [[nodiscard]] bool is_exhausted() const noexcept { return effort_ == 0; }

 private:
  [[nodiscard]] std::vector<Member> members_at(spirv::Id structure, int depth);
  [[nodiscard]] Member member(spirv::Id structure, std::uint32_t index, spirv::Id type, int depth);
  [[nodiscard]] std::uint64_t packed_size_at(spirv::Id type, int depth);
  [[nodiscard]] std::uint64_t explicit_size(spirv::Id type, const Member& member);
  [[nodiscard]] std::string type_name(spirv::Id type, int depth);

  const spirv::Module& module_;
  spirv::Constants& constants_;
  std::uint64_t effort_ = kMaxMembers;
};

}  // namespace vyre::program
