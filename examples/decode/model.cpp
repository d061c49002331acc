#include <examples/decode/model.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace decode {
namespace {

constexpr std::uint32_t kBlock = 32;

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

Matrix keep(std::uint32_t rows, std::uint32_t columns, std::span<const float> weights, Format format) {
  Matrix matrix{.rows = rows, .columns = columns};
  matrix.values.reserve(weights.size());
  for (std::size_t begin = 0; begin < weights.size(); begin += kBlock) {
    const std::span block = weights.subspan(begin, kBlock);
    switch (format) {
      case Format::F32:
        for (const float each : block) {
          matrix.words.push_back(bits_of(each));
          matrix.values.push_back(each);
        }
        break;
      case Format::F16:
        for (std::size_t i = 0; i < kBlock; i += 2) {
          const std::uint16_t low = to_half(block[i]);
          const std::uint16_t high = to_half(block[i + 1]);
          matrix.words.push_back(low | std::uint32_t{high} << 16);
          matrix.values.push_back(from_half(low));
          matrix.values.push_back(from_half(high));
        }
        break;
      case Format::Q8: {
        float most = 0;
        for (const float each : block) most = std::max(most, std::abs(each));
        const float scale = most / 127;
        matrix.words.push_back(bits_of(scale));
        for (std::size_t i = 0; i < kBlock; i += 4) {
          std::uint32_t word = 0;
          for (std::size_t k = 0; k < 4; ++k) {
            const long whole = scale > 0 ? std::lround(block[i + k] / scale) : 0;
            word |= (static_cast<std::uint32_t>(whole) & 0xffU) << (8 * k);
            matrix.values.push_back(static_cast<double>(scale) * static_cast<double>(whole));
          }
          matrix.words.push_back(word);
        }
        break;
      }
    }
  }
  return matrix;
}

std::vector<float> make_turns(const Sizes& sizes) {
  std::vector<float> turns;
  for (std::uint32_t position = 0; position < sizes.context; ++position) {
    for (std::uint32_t pair = 0; pair < sizes.head_pairs(); ++pair) {
      const double angle = position * std::pow(10'000.0, -static_cast<double>(pair) / sizes.head_pairs());
      turns.push_back(static_cast<float>(std::cos(angle)));
      turns.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return turns;
}

/// All weights of one kind: rows and columns of a layer, and where the numbers come from.
template <typename Source>
Model fill(const Sizes& sizes, Format format, Source source) {
  const std::uint32_t width = sizes.width;
  const std::uint32_t middle = sizes.middle;
  Model model{.sizes = sizes, .layers = std::vector<Layer>(sizes.layers), .turns = make_turns(sizes)};
  const auto matrix_of_each = [&](const char* name, std::uint32_t rows, std::uint32_t columns, Matrix Layer::* member) {
    const std::vector<float> all = source(name, sizes.layers, rows, columns);
    const std::size_t size = std::size_t{rows} * columns;
    for (std::size_t i = 0; i < sizes.layers; ++i) {
      model.layers[i].*member = keep(rows, columns, std::span{all}.subspan(i * size, size), format);
    }
  };
  const auto norm_of_each = [&](const char* name, std::vector<float> Layer::* member) {
    const std::vector<float> all = source(name, sizes.layers, 1, width);
    for (std::size_t i = 0; i < sizes.layers; ++i) {
      const std::span part = std::span{all}.subspan(i * width, width);
      (model.layers[i].*member).assign(part.begin(), part.end());
    }
  };
  model.embedding = keep(sizes.vocabulary, width, source("embedding", 1, sizes.vocabulary, width), format);
  norm_of_each("attention_norm", &Layer::attention_norm);
  matrix_of_each("query", width, width, &Layer::query);
  matrix_of_each("key", width, width, &Layer::key);
  matrix_of_each("value", width, width, &Layer::value);
  matrix_of_each("output", width, width, &Layer::output);
  norm_of_each("middle_norm", &Layer::middle_norm);
  matrix_of_each("gate", middle, width, &Layer::gate);
  matrix_of_each("up", middle, width, &Layer::up);
  matrix_of_each("down", width, middle, &Layer::down);
  model.last_norm = source("last_norm", 1, 1, width);
  model.logits = keep(sizes.vocabulary, width, source("logits", 1, sizes.vocabulary, width), format);
  return model;
}

/// The numbers of a `.npy` file of `count` little-endian floats in C order.
std::vector<float> load_npy(const std::filesystem::path& path, std::size_t count) {
  std::ifstream file{path, std::ios::binary};
  // The magic number, two bytes of version, and the size of the header that describes the array.
  std::string start(10, '\0');
  if (!file.read(start.data(), 10) || !start.starts_with("\x93NUMPY\x01")) {
    throw std::runtime_error{path.string() + " is no array of numpy"};
  }
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(start[i]); };
  std::string header(byte_at(8) + 256U * byte_at(9), '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  std::vector<float> numbers(count);
  const bool is_read = static_cast<bool>(
      file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(count * sizeof(float))));
  if (header.find("'<f4'") == std::string::npos || header.find("'fortran_order': False") == std::string::npos ||
      !is_read || file.peek() != std::char_traits<char>::eof()) {
    throw std::runtime_error{path.string() + " does not hold " + std::to_string(count) + " floats"};
  }
  return numbers;
}

}  // namespace

Model make_model(const Sizes& sizes, Format format, std::uint32_t seed) {
  std::mt19937_64 random{seed};
  return fill(sizes, format,
              [&](std::string_view name, std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
                const bool is_norm = name.ends_with("norm");
                // An embedding need not be small: it is divided by its root mean square first.
                const double size = is_norm ? 0.1 : name == "embedding" ? 1 : 1 / std::sqrt(columns);
                std::vector<float> numbers(std::size_t{count} * rows * columns);
                // The sum of four even ones is close to normal, and the same with every standard library.
                for (float& each : numbers) {
                  const std::uint64_t bits = random();
                  double sum = 0;
                  for (int i = 0; i < 4; ++i) sum += static_cast<double>(bits >> (16 * i) & 0xffff) / 65'535 - 0.5;
                  each = static_cast<float>((is_norm ? 1 : 0) + size * std::sqrt(3.0) * sum);
                }
                return numbers;
              });
}

Model load_model(const std::filesystem::path& folder, const Sizes& sizes, Format format) {
  return fill(sizes, format,
              [&](std::string_view name, std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
                return load_npy(folder / (std::string{name} + ".npy"), std::size_t{count} * rows * columns);
              });
}

std::uint16_t to_half(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::abs(value);
  if (!(size < 65'520)) return static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7e00 : 0x7c00));
  // Halves are multiples of 2^-24, and have eleven bits from 2^-14 on. `nearbyint` rounds ties to even.
  const int exponent = size < std::ldexp(1.0, -14) ? -14 : std::ilogb(size);
  const double unit = std::ldexp(1.0, exponent - 10);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(size / unit));
  return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(exponent + 14) * 1024 + units));
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

}  // namespace decode
