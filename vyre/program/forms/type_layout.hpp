#pragma once

#include <cstdint>

#include <vyre/program/forms/rewrite_context.hpp>

namespace vyre::program::forms {

/// How a matrix lies in memory. The structure around it decides that.
struct MatrixLayout {
  std::uint32_t stride = 0;
  bool is_row_major = false;
};

/// How values of the kernel's types lie in memory.
class TypeLayout {
 public:
  /// A value with more scalars than this is not split into scalars. If the end of a view may cut it, the kernel has no
  /// checked form.
  static constexpr std::uint64_t kMostScalars = 256;

  explicit TypeLayout(const RewriteContext& in) noexcept : module_{in.facts.module}, constants_{in.constants} {}

  /// The alignment that a value is sure to have.
  [[nodiscard]] std::uint32_t alignment(Id type) const;
  /// The size of a value in bytes. A matrix counts as 0, because only the structure around it has the stride.
  [[nodiscard]] std::uint64_t extent(Id type) const;
  /// The size of a value in bytes, with this layout of matrices.
  [[nodiscard]] std::uint64_t bytes_in(Id type, const MatrixLayout& layout) const;
  [[nodiscard]] MatrixLayout layout_of_member(Id structure, std::uint32_t member) const;
  /// The number of scalars in a value.
  [[nodiscard]] std::uint64_t scalars_in(Id type) const;
  /// Whether it is a matrix, or an array of matrices.
  [[nodiscard]] bool holds_matrix(Id type) const;
  /// Whether it is a structure that ends in a runtime array.
  [[nodiscard]] bool has_runtime_array(Id type) const;

 private:
  const spirv::Module& module_;
  spirv::Constants& constants_;
};

}  // namespace vyre::program::forms
