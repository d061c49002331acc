#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/program/program.hpp>
#include <vyre/runtime/params.hpp>

#include <backends/fake/fake_backend.hpp>

/// The kernels that random programs dispatch, each twice: in GLSL for devices, in C++ for the fake one and the oracle.
namespace vyre::tests {

/// What the parameters of a dispatch are made of, whatever its kernel takes.
using ParamWords = std::array<std::uint32_t, 5>;

enum class ParamStyle : std::uint8_t { InOrder, ByName, Block };

/// A binding as the generator needs to know it, in the order of set, slot and place in an array.
struct KernelSlot {
  std::string_view name = {};
  bool writes = false;
  std::uint64_t min_bytes = 4;
};

struct TestKernel {
  std::string_view name = {};
  std::string_view glsl = {};
  std::span<const KernelSlot> slots = {};
  bool has_names = true;    ///< Whether each binding has a name of its own.
  bool has_values = false;  ///< Whether there are the specialisation constants below.
  bool is_grid = false;     ///< Whether it has a meaning in more than one dimension.
  bool is_aliased = false;  ///< Whether all bindings may be the same bytes.
  /// Null where there are no push constants.
  runtime::Params (*params)(const ParamWords& words, ParamStyle style) = nullptr;
  std::vector<std::byte> (*block)(const ParamWords& words) = nullptr;
  void (*run)(const backends::fake::Invocation& invocation) = nullptr;
};

inline constexpr std::uint32_t kWorkgroup = 64;  ///< Of every kernel, unless it is specialised.
inline constexpr std::uint32_t kWorkgroupSpecId = 1;
inline constexpr std::uint32_t kFactorSpecId = 3;

[[nodiscard]] std::span<const TestKernel> test_kernels();
/// The place of a kernel among them.
[[nodiscard]] std::uint32_t kernel_index(std::string_view name);
/// Its program, compiled once.
[[nodiscard]] const program::Program& program_of(std::uint32_t kernel);
/// All of them for the fake device.
[[nodiscard]] std::map<std::string, backends::fake::Kernel> fake_kernels();

}  // namespace vyre::tests
