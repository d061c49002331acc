#pragma once

#include <cstdint>

#include <vyre/program/forms/rewrite_context.hpp>

namespace vyre::program::forms {

/// How a matrix lies in memory, as its structure says.
struct MatrixLayout {
  std::uint32_t stride = 0;
  bool is_row_major = false;
};

/// How values of the source's types lie in memory.
class TypeLayout {
 public:
  /// A value of more scalars than these is not taken apart, and has no checked form where an end of a view may cut it.
  static constexpr std::uint64_t kMostScalars = 256;

  explicit TypeLayout(const RewriteContext& in) noexcept : module_{in.facts.module}, constants_{in.constants} {}

  /// The alignment that an access to a value may count on.
  [[nodiscard]] std::uint32_t alignment(Id type) const;
  /// Bytes from the beginning of a value to its end. The columns of a matrix do not count, whose stride only the
  /// structure around it knows.
  [[nodiscard]] std::uint64_t extent(Id type) const;
  /// Bytes from the beginning of a value to its end, with a matrix laid out like this.
  [[nodiscard]] std::uint64_t bytes_in(Id type, const MatrixLayout& layout) const;
  [[nodiscard]] MatrixLayout layout_of_member(Id structure, std::uint32_t member) const;
  /// How many scalars a value has.
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
