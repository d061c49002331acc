#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// Types of a module as they lie in memory.
///
/// Stands any module: what has no size, or cannot have one, has size 0.
class Layout {
 public:
  /// Both must outlive this.
  Layout(const spirv::Module& module, spirv::Constants& constants) noexcept : module_{module}, constants_{constants} {}

  /// The members of a structure as it is laid out in a block, structures within it included.
  [[nodiscard]] std::vector<Member> members(spirv::Id structure);
  /// Bytes up to the end of the last member, runtime arrays counting nothing.
  [[nodiscard]] static std::uint64_t size_of(const std::vector<Member>& members) noexcept;
  /// The size of a type that is not laid out, as in workgroup memory: tightly packed.
  [[nodiscard]] std::uint64_t packed_size(spirv::Id type);
  /// The scalar type of an id that is one.
  [[nodiscard]] std::optional<ScalarType> scalar(spirv::Id type) const;
  /// The length of an array type, 0 if that is not known; nothing for a runtime array.
  [[nodiscard]] std::optional<std::uint64_t> array_length(spirv::Id type);

  /// Members in all, over all calls: structures can share structures and grow beyond any bound.
  static constexpr std::uint64_t kMaxMembers = 100'000;
  /// Whether there were more, so that sizes and members are missing.
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
