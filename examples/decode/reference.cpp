#include <examples/decode/reference.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace decode {
namespace {

using Vector = std::vector<double>;

Vector times(const Matrix& matrix, const Vector& vector) {
  Vector result(matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const double* weights = matrix.values.data() + row * matrix.columns;
    // Four sums, so that the processor need not wait for one addition before the next.
    double sums[4] = {};
    for (std::size_t i = 0; i < matrix.columns; i += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += weights[i + k] * vector[i + k];
    }
    result[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return result;
}

Vector normed(const Vector& vector, const std::vector<float>& scales) {
  double squares = 0;
  for (const double each : vector) squares += each * each;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(vector.size()) + static_cast<double>(kEpsilon));
  Vector result(vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i) result[i] = vector[i] * scale * static_cast<double>(scales[i]);
  return result;
}

void turn(Vector& vector, std::span<const float> turns) {
  for (std::size_t i = 0; i < vector.size(); i += 2) {
    const double x = vector[i];
    const double y = vector[i + 1];
    const double cosine = static_cast<double>(turns[i % turns.size()]);
    const double sine = static_cast<double>(turns[i % turns.size() + 1]);
    vector[i] = x * cosine - y * sine;
    vector[i + 1] = x * sine + y * cosine;
  }
}

void add(Vector& to, const Vector& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

void keep_row(Vector& cache, std::size_t row, const Vector& vector) {
  for (std::size_t i = 0; i < vector.size(); ++i) cache[row * vector.size() + i] = from_half(to_half(vector[i]));
}

}  // namespace

Reference::Reference(const Model& model)
    : model_{model},
      keys_(model.sizes.layers, Vector(std::size_t{model.sizes.context} * model.sizes.width)),
      values_{keys_} {}

std::vector<double> Reference::next(std::uint32_t token, std::uint32_t position) {
  const Sizes& sizes = model_.sizes;
  const std::size_t head_size = sizes.width / sizes.heads;
  const std::size_t turned = 2 * std::size_t{sizes.head_pairs()};
  const auto turns = std::span{model_.turns}.subspan(position * turned, turned);
  const auto row = model_.embedding.values.begin() + static_cast<std::ptrdiff_t>(std::size_t{token} * sizes.width);
  Vector x(row, row + sizes.width);
  for (std::size_t i = 0; i < sizes.layers; ++i) {
    const Layer& layer = model_.layers[i];
    Vector input = normed(x, layer.attention_norm);
    Vector query = times(layer.query, input);
    Vector key = times(layer.key, input);
    turn(query, turns);
    turn(key, turns);
    keep_row(keys_[i], position, key);
    keep_row(values_[i], position, times(layer.value, input));
    Vector mixed(sizes.width);
    for (std::size_t head = 0; head < sizes.heads; ++head) {
      const std::size_t first = head * head_size;
      Vector scores;
      for (std::size_t at = 0; at <= position; ++at) {
        double sum = 0;
        for (std::size_t k = first; k < first + head_size; ++k) sum += query[k] * keys_[i][at * sizes.width + k];
        scores.push_back(sum / std::sqrt(static_cast<double>(head_size)));
      }
      const double most = *std::ranges::max_element(scores);
      double all = 0;
      for (double& each : scores) all += each = std::exp(each - most);
      for (std::size_t at = 0; at <= position; ++at) {
        for (std::size_t k = first; k < first + head_size; ++k) {
          mixed[k] += scores[at] / all * values_[i][at * sizes.width + k];
        }
      }
    }
    add(x, times(layer.output, mixed));
    input = normed(x, layer.middle_norm);
    Vector gate = times(layer.gate, input);
    const Vector up = times(layer.up, input);
    for (std::size_t k = 0; k < gate.size(); ++k) gate[k] = gate[k] / (1 + std::exp(-gate[k])) * up[k];
    add(x, times(layer.down, gate));
  }
  return times(model_.logits, normed(x, model_.last_norm));
}

}  // namespace decode
