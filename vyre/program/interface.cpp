#include <vyre/program/interface.hpp>

#include <fmt/format.h>

namespace vyre::program {
namespace {

/// What GLSL puts before `vec` and `mat`: nothing for a float, `u` for a uint, `i8` for an 8-bit int.
std::string component_prefix(const ScalarType& type) {
  switch (type.kind) {
    case ScalarKind::Bool: return "b";
    case ScalarKind::Int: return type.bits == 32 ? "i" : fmt::format("i{}", type.bits);
    case ScalarKind::Uint: return type.bits == 32 ? "u" : fmt::format("u{}", type.bits);
    case ScalarKind::Float: return type.bits == 32 ? "" : type.bits == 64 ? "d" : fmt::format("f{}", type.bits);
  }
  return "";
}

}  // namespace

std::string_view to_string(Access access) noexcept {
  switch (access) {
    case Access::None: return "none";
    case Access::Read: return "read";
    case Access::Write: return "write";
    case Access::ReadWrite: return "read_write";
  }
  return "read_write";
}

std::string_view to_string(BindingKind kind) noexcept {
  return kind == BindingKind::StorageBuffer ? "storage_buffer" : "uniform_buffer";
}

std::string_view to_string(BlockLayout layout) noexcept {
  switch (layout) {
    case BlockLayout::Standard: return "standard";
    case BlockLayout::UniformStandard: return "uniform-standard";
    case BlockLayout::Scalar: return "scalar";
  }
  return "scalar";
}

std::string to_string(const ScalarType& type) {
  switch (type.kind) {
    case ScalarKind::Bool: return "bool";
    case ScalarKind::Int: return type.bits == 32 ? "int" : fmt::format("int{}_t", type.bits);
    case ScalarKind::Uint: return type.bits == 32 ? "uint" : fmt::format("uint{}_t", type.bits);
    case ScalarKind::Float:
      return type.bits == 32 ? "float" : type.bits == 64 ? "double" : fmt::format("float{}_t", type.bits);
  }
  return "?";
}

std::string vector_name(const ScalarType& component, std::uint32_t count) {
  return fmt::format("{}vec{}", component_prefix(component), count);
}

std::string matrix_name(const ScalarType& component, std::uint32_t columns, std::uint32_t rows) {
  const std::string prefix = component_prefix(component);
  return columns == rows ? fmt::format("{}mat{}", prefix, columns) : fmt::format("{}mat{}x{}", prefix, columns, rows);
}

}  // namespace vyre::program
