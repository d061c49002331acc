#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/forms/kernel_types.hpp"

/// Compute kernels made from a seed, with work for them. They are deterministic in whatever order their groups and
/// invocations run: an invocation writes elements of its own, and reads those, what nobody writes, and shared memory
/// behind a barrier; atomics that meet are of one kind, and nobody looks at what they give.
///
/// Floats are small multiples of 1/4 and so are exact however a compiler groups sums and products.
namespace vyre::tests {

/// One dispatch of a kernel.
struct KernelWork {
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::vector<std::vector<std::byte>> buffers = {};  ///< Contents, by set, slot and place in an array of buffers.
  std::vector<std::byte> params = {};                ///< All bytes of the push-constant block.

  friend bool operator==(const KernelWork&, const KernelWork&) = default;
};

/// How many elements the runtime array of a buffer gets.
enum class LengthRule : std::uint8_t {
  None,           ///< There is no runtime array.
  Any,            ///< A few.
  PerInvocation,  ///< `per_index` for each invocation, sometimes for fewer.
  PerGroup,       ///< `per_index` for each group, sometimes for fewer.
};

struct BufferShape {
  Placed header = {};  ///< What comes before the runtime array.
  std::uint32_t data_offset = 0;
  std::uint32_t stride = 0;
  std::vector<PlacedScalar> element = {};
  LengthRule rule = LengthRule::None;
  std::uint32_t per_index = 1;
  std::uint32_t least = 0;  ///< Elements that there must be.
};

/// What work for a kernel looks like.
struct KernelShape {
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
  std::vector<BufferShape> buffers = {};
  Placed params = {};
  bool has_count = false;  ///< Whether the first parameter says how many invocations have elements.
  bool is_flat = false;    ///< Whether it runs in one dimension only.
  bool is_exact = false;   ///< Whether no bytes may be left behind the last element of a runtime array.
};

struct RandomKernel {
  std::string source = {};  ///< GLSL.
  bool scalar_layout = false;
  KernelShape shape = {};
  KernelWork work = {};
  std::set<std::string> features = {};  ///< What occurs in it, for statistics.
};

struct RandomKernelOptions {
  /// Also read and write behind the end of runtime arrays, near and far. Such reads give zero and such writes are
  /// dropped where the driver is as robust as `robustBufferAccess2` asks for.
  bool out_of_bounds = false;
  /// Declare arrays with fewer elements than there are, so that indices leave the array and stay inside the view.
  bool past_declared = false;
};

/// A kernel with work for it. The same seed gives the same kernel with every standard library.
[[nodiscard]] RandomKernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options = {});

/// Other work for a kernel: other groups, contents, lengths and parameters.
[[nodiscard]] KernelWork random_work(const KernelShape& shape, std::uint64_t seed);

}  // namespace vyre::tests
