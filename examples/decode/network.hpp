#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <examples/decode/model.hpp>
#include <vyre/vyre.hpp>

namespace decode {

/// The kernels of this folder, each by what it does to vectors.
enum class Kernel : std::uint8_t {
  ReadRow,
  Norm,
  MatrixVector,
  Rotate,
  WriteRow,
  Scores,
  Softmax,
  Mix,
  Add,
  Silu,
  Multiply,
};
inline constexpr std::size_t kKernels = 11;

/// How attention gets to know the position, and what that changes from token to token.
enum class Growth : std::uint8_t {
  Params,  ///< A parameter of three dispatches of each layer. There is a workgroup for every position of the context.
  State,   ///< The buffer that has the token. Nothing changes.
  Groups,  ///< A parameter, and only as many workgroups as there are positions.
};

/// One dispatch of a token.
struct Step {
  Kernel kernel = {};
  std::vector<std::uint32_t> buffers = {};  ///< By binding: indices into the buffers of the network.
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::vector<std::uint32_t> params = {};  ///< The bits of each.
  bool waits = false;                      ///< For the steps before it, in a list written by hand.

  /// Whether its first parameter is the number of positions that attention looks at.
  [[nodiscard]] bool looks_back() const;
  friend bool operator==(const Step&, const Step&) = default;
};

/// A token and its position, as `State` is laid out.
struct State {
  std::uint32_t token = 0;
  std::uint32_t position = 0;
};

/// What one token takes: buffers, and dispatches in order.
struct Network {
  std::vector<std::vector<std::uint32_t>> buffers = {};  ///< What each begins with.
  std::uint32_t state = 0;                               ///< A `State`.
  std::uint32_t logits = 0;                              ///< A float for each token.
  std::vector<Step> steps = {};                          ///< For the first position.
  Growth growth = Growth::Params;
  Sizes sizes = {};

  /// How many choices of workgroups there are: one, unless they grow.
  [[nodiscard]] std::uint32_t stages() const;
  /// The choice that a position needs.
  [[nodiscard]] std::uint32_t stage_of(std::uint32_t position) const;
  /// The workgroups of a step in a stage.
  [[nodiscard]] std::array<std::uint32_t, 3> groups_in(const Step& step, std::uint32_t stage) const;
  /// Sets the parameters of a step that looks back from a position.
  void set_position(Step& step, std::uint32_t position) const;
};

/// With `only_launch` dispatches have one workgroup, or as many as the position needs: for kernels that do nothing.
[[nodiscard]] Network make_network(const Model& model, Growth growth, bool only_launch = false);

/// A kernel, and the specialisation constants it takes here.
struct Compiled {
  vyre::Program program;
  std::vector<vyre::SpecOverride> values = {};
};

/// All kernels, by their number, from the folder that has their text. With `only_launch` they do nothing.
[[nodiscard]] std::vector<Compiled> load_kernels(const std::string& folder, Format format, Growth growth,
                                                 bool only_launch = false);

}  // namespace decode
