#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

/// The decode step of a transformer: one token in, the logits of the next one out.
namespace decode {

struct Sizes {
  std::uint32_t layers = 6;
  std::uint32_t width = 288;  ///< A multiple of 32, and of twice the heads.
  std::uint32_t heads = 6;
  std::uint32_t middle = 768;       ///< Of the gated layer, a multiple of 32.
  std::uint32_t vocabulary = 4096;  ///< A multiple of 32.
  std::uint32_t context = 64;       ///< Positions of a sequence.

  [[nodiscard]] std::uint32_t pairs() const { return width / 2; }
  [[nodiscard]] std::uint32_t head_pairs() const { return width / heads / 2; }
};

inline constexpr float kEpsilon = 1e-5F;  ///< Added to a mean square.

/// How weights are kept; `weights.glsl` describes the words.
enum class Format : std::uint8_t { F32, F16, Q8 };

/// Rows of weights.
struct Matrix {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<std::uint32_t> words = {};  ///< As kernels read them.
  std::vector<double> values = {};        ///< The same, row by row, exactly.
};

struct Layer {
  std::vector<float> attention_norm = {};
  Matrix query = {};
  Matrix key = {};
  Matrix value = {};
  Matrix output = {};
  std::vector<float> middle_norm = {};
  Matrix gate = {};
  Matrix up = {};
  Matrix down = {};
};

struct Model {
  Sizes sizes = {};
  Matrix embedding = {};
  std::vector<Layer> layers = {};
  std::vector<float> last_norm = {};
  Matrix logits = {};
  /// Cosine and sine of the rotary embedding, by position and pair of a head.
  std::vector<float> turns = {};
};

/// Random weights of a size that keeps logits near 1. The same seed gives the same weights.
[[nodiscard]] Model make_model(const Sizes& sizes, Format format, std::uint32_t seed);
/// The weights of the `.npy` files that `make.py` writes into a folder, of `sizes`. Throws `std::runtime_error` for a
/// file that is not there or has another shape.
[[nodiscard]] Model load_model(const std::filesystem::path& folder, const Sizes& sizes, Format format);

/// The nearest half, ties to even, as its bits; and the value of a half.
[[nodiscard]] std::uint16_t to_half(double value);
[[nodiscard]] double from_half(std::uint16_t bits);

}  // namespace decode
