#include <examples/decode/network.hpp>

#include <bit>
#include <cmath>
#include <filesystem>
#include <initializer_list>

namespace decode {
namespace {

constexpr std::uint32_t kGroup = 32;     // Invocations of most kernels.
constexpr std::uint32_t kPositions = 8;  // Of a workgroup of scores.
constexpr std::uint32_t kBlock = 32;     // Weights.

constexpr std::uint32_t groups_for(std::uint32_t count, std::uint32_t size) { return (count + size - 1) / size; }

class Builder {
 public:
  Builder(const Model& model, Growth growth) : model_{model}, sizes_{model.sizes} {
    network_.growth = growth;
    network_.sizes = sizes_;
  }

  Network build() {
    const std::uint32_t width = sizes_.width;
    network_.state = empty(2);
    network_.logits = empty(sizes_.vocabulary);
    const std::uint32_t turns = floats(model_.turns);
    const std::uint32_t x = empty(width);
    const std::uint32_t input = empty(width);
    const std::uint32_t query = empty(width);
    const std::uint32_t key = empty(width);
    const std::uint32_t value = empty(width);
    const std::uint32_t scores = empty(sizes_.heads * sizes_.context);
    const std::uint32_t mixed = empty(width);
    const std::uint32_t part = empty(width);
    const std::uint32_t gate = empty(sizes_.middle);
    const std::uint32_t up = empty(sizes_.middle);
    const std::uint32_t pairs = sizes_.pairs();
    const std::uint32_t state = network_.state;

    add(Kernel::ReadRow, {words(model_.embedding.words), state, x}, {groups_for(width / 4, kGroup), 1, 1},
        {width / kBlock});
    for (const Layer& layer : model_.layers) {
      const std::uint32_t keys = empty(sizes_.context * pairs);
      const std::uint32_t values = empty(sizes_.context * pairs);
      norm(x, layer.attention_norm, input);
      next_wave();
      multiply(layer.query, input, query);
      multiply(layer.key, input, key);
      multiply(layer.value, input, value);
      next_wave();
      const std::vector<std::uint32_t> rotation{pairs, sizes_.head_pairs()};
      add(Kernel::Rotate, {query, turns, state}, {groups_for(pairs, kGroup), 1, 1}, rotation);
      add(Kernel::Rotate, {key, turns, state}, {groups_for(pairs, kGroup), 1, 1}, rotation);
      add(Kernel::WriteRow, {value, values, state}, {groups_for(pairs, kGroup), 1, 1}, {pairs, 0, sizes_.context});
      next_wave();
      add(Kernel::WriteRow, {key, keys, state}, {groups_for(pairs, kGroup), 1, 1}, {pairs, 0, sizes_.context});
      next_wave();
      const float scale = 1 / std::sqrt(static_cast<float>(2 * sizes_.head_pairs()));
      add(Kernel::Scores, {query, keys, scores, state}, {groups_for(sizes_.context, kPositions), sizes_.heads, 1},
          {1, 0, pairs, sizes_.head_pairs(), sizes_.context, std::bit_cast<std::uint32_t>(scale)});
      next_wave();
      add(Kernel::Softmax, {scores, state}, {sizes_.heads, 1, 1}, {1, sizes_.context});
      next_wave();
      add(Kernel::Mix, {scores, values, mixed, state}, {groups_for(pairs, kGroup), 1, 1},
          {1, 0, pairs, sizes_.head_pairs(), sizes_.context});
      next_wave();
      multiply(layer.output, mixed, part);
      next_wave();
      combine(Kernel::Add, x, part, x, width);
      next_wave();
      norm(x, layer.middle_norm, input);
      next_wave();
      multiply(layer.gate, input, gate);
      multiply(layer.up, input, up);
      next_wave();
      add(Kernel::Silu, {gate, gate}, {groups_for(sizes_.middle, kGroup), 1, 1}, {sizes_.middle});
      next_wave();
      combine(Kernel::Multiply, gate, up, gate, sizes_.middle);
      next_wave();
      multiply(layer.down, gate, part);
      next_wave();
      combine(Kernel::Add, x, part, x, width);
    }
    norm(x, model_.last_norm, input);
    next_wave();
    multiply(model_.logits, input, network_.logits);
    return std::move(network_);
  }

 private:
  std::uint32_t words(const std::vector<std::uint32_t>& words) {
    network_.buffers.push_back(words);
    return static_cast<std::uint32_t>(network_.buffers.size() - 1);
  }
  std::uint32_t empty(std::uint32_t count) { return words(std::vector<std::uint32_t>(count)); }
  std::uint32_t floats(const std::vector<float>& values) {
    std::vector<std::uint32_t> bits;
    for (const float each : values) bits.push_back(std::bit_cast<std::uint32_t>(each));
    return words(bits);
  }

  void next_wave() { is_next_ = true; }
  void add(Kernel kernel, std::vector<std::uint32_t> buffers, std::array<std::uint32_t, 3> groups,
           std::vector<std::uint32_t> params) {
    network_.steps.push_back({.kernel = kernel,
                              .buffers = std::move(buffers),
                              .groups = groups,
                              .params = std::move(params),
                              .waits = is_next_});
    is_next_ = false;
  }
  void norm(std::uint32_t from, const std::vector<float>& scales, std::uint32_t to) {
    next_wave();
    add(Kernel::Norm, {from, floats(scales), to}, {1, 1, 1}, {sizes_.width, 0, std::bit_cast<std::uint32_t>(kEpsilon)});
  }
  void multiply(const Matrix& matrix, std::uint32_t from, std::uint32_t to) {
    add(Kernel::MatrixVector, {words(matrix.words), from, to}, {groups_for(matrix.rows, kGroup), 1, 1},
        {matrix.rows, matrix.columns / kBlock, 0});
  }
  void combine(Kernel kernel, std::uint32_t left, std::uint32_t right, std::uint32_t to, std::uint32_t count) {
    add(kernel, {left, right, to}, {groups_for(count, kGroup), 1, 1}, {count});
  }

  const Model& model_;
  Sizes sizes_;
  Network network_ = {};
  bool is_next_ = false;
};

}  // namespace

bool Step::looks_back() const { return kernel == Kernel::Scores || kernel == Kernel::Softmax || kernel == Kernel::Mix; }

std::uint32_t Network::stages() const { return growth == Growth::Groups ? groups_for(sizes.context, kPositions) : 1; }

std::uint32_t Network::stage_of(std::uint32_t position) const {
  return growth == Growth::Groups ? position / kPositions : 0;
}

std::array<std::uint32_t, 3> Network::groups_in(const Step& step, std::uint32_t stage) const {
  if (growth != Growth::Groups || step.kernel != Kernel::Scores) return step.groups;
  return {stage + 1, step.groups[1], step.groups[2]};
}

void Network::set_position(Step& step, std::uint32_t position) const {
  if (growth != Growth::State && step.looks_back()) step.params[0] = position + 1;
}

Network make_network(const Model& model, Growth growth, bool only_launch) {
  Network network = Builder{model, growth}.build();
  for (Step& step : network.steps) {
    if (only_launch) step.groups = {1, 1, 1};
  }
  return network;
}

std::vector<Compiled> load_kernels(const std::string& folder, Format format, Growth growth, bool only_launch) {
  std::vector<std::pair<std::string, std::string>> defines;
  if (only_launch) defines.emplace_back("LAUNCHING_ONLY", "1");
  const std::vector<vyre::SpecOverride> is_first{{.spec_id = 0, .bits = 1}};
  const std::vector<vyre::SpecOverride> from_state{{.spec_id = 0, .bits = growth == Growth::State ? 1U : 0U}};
  std::vector<Compiled> kernels;
  const auto load = [&](const char* name, const std::vector<vyre::SpecOverride>& values = {}) {
    kernels.push_back(
        {.program = vyre::Program::from_file(std::filesystem::path{folder} / (std::string{name} + ".comp"),
                                             {.name = name, .defines = defines})
                        .value(),
         .values = values});
  };
  const auto load_weighted = [&](const char* name) {
    const char* bits = format == Format::F32 ? "32" : format == Format::F16 ? "16" : "8";
    defines.emplace_back("FORMAT", bits);
    load(name);
    defines.pop_back();
  };
  load_weighted("read_row");
  load("norm");
  load_weighted("matrix_vector");
  load("rotate");
  load("write_row");
  load("scores", from_state);
  load("softmax", from_state);
  load("mix", from_state);
  load("combine");
  load("silu");
  load("combine", is_first);
  return kernels;
}

}  // namespace decode
