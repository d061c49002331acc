#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase struct_nested() {
  struct Sample {
    std::array<float, 2> at;
    float weight;
    float padding;
  };
  struct Track {
    std::uint32_t id;
    std::uint32_t padding;
    std::array<Sample, 3> samples;
    std::array<std::uint32_t, 2> more_padding;
    std::array<float, 3> total;
    std::uint32_t last_padding;
  };
  static_assert(sizeof(Track) == 80);
  constexpr std::size_t kCount = 32;
  std::vector<std::uint32_t> image(4 + kCount * sizeof(Track) / 4, 0xabcd'abcdu);
  image[0] = 2;
  Buffer tracks = buffer(0, image);
  Sequence sequence(240);
  const auto eighth = [&] { return static_cast<float>(sequence.next() % 64 + 1) / 8; };
  auto* const first = reinterpret_cast<Track*>(tracks.bytes.data() + 16);
  for (std::size_t i = 0; i < kCount; ++i) {
    first[i].id = sequence.next() % 100;
    for (Sample& sample : first[i].samples) {
      sample.at = {eighth(), eighth()};
      sample.weight = eighth();
    }
  }
  return {.name = "struct_nested",
          .groups = {2, 1, 1},
          .buffers = {tracks},
          .oracle =
              [](Buffers& buffers) {
                const std::uint32_t picked = buffers[0].as<std::uint32_t>()[0];
                auto* const track = reinterpret_cast<Track*>(buffers[0].bytes.data() + 16);
                for (std::size_t i = 0; i < kCount; ++i) {
                  track[i].total = {};
                  for (const Sample& sample : track[i].samples) {
                    track[i].total[0] += sample.at[0] * sample.weight;
                    track[i].total[1] += sample.at[1] * sample.weight;
                    track[i].total[2] += sample.weight;
                  }
                  track[i].samples[(track[i].id + picked) % 3].at[1] = -1;
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {{.slot = 0,
                                     .name = "Tracks",
                                     .access = Access::ReadWrite,
                                     .stride = 80,
                                     .size = 16,
                                     .runtime_sized = true}},
                       .bounded_loops = 1}};
}

KernelCase row_and_column_major() {
  constexpr std::size_t kCount = 64;
  return {.name = "row_and_column_major",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<float>(36, 241, 1, 20)), buffer(1, integers<float>(kCount * 4, 242, 1, 20)),
                      zeros<float>(2, kCount * 8)},
          .oracle =
              [](Buffers& buffers) {
                const auto [matrices, points, results] = views<float, float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  std::array<float, 4> a = {};
                  std::array<float, 4> b = {};
                  for (std::size_t row = 0; row < 3; ++row) {
                    for (std::size_t column = 0; column < 4; ++column) {
                      a[row] += matrices[4 * row + column] * points[4 * i + column];
                      b[row] += matrices[12 + 4 * column + row] * points[4 * i + column];
                    }
                  }
                  const auto pair = matrices.subspan(28 + i % 2 * 4, 4);
                  a[3] = pair[0] * a[0] + pair[1] * a[1];
                  b[3] = pair[2] * a[0] + pair[3] * a[1];
                  b[2] += matrices[7];
                  for (std::size_t row = 0; row < 4; ++row) {
                    results[8 * i + 2 * row] = a[row];
                    results[8 * i + 2 * row + 1] = b[row];
                  }
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {fixed_block(0, "matrices", Access::Read, 144, 16),
                                    runtime_array(1, "Points", Access::Read, 16),
                                    runtime_array(2, "Results", Access::ReadWrite, 32)}}};
}

KernelCase std140_uniforms() {
  constexpr std::size_t kCount = 96;
  constexpr std::size_t kFirst = 5;
  std::vector<float> settings(36, 1000);
  for (const std::size_t weight : {0u, 4u, 8u}) settings[weight] = static_cast<float>(weight) / 4 - 0.5f;
  std::ranges::copy(std::array{1.0f, -2.0f, 3.5f, 0.25f}, settings.begin() + 12);
  std::ranges::copy(integers<float>(12, 243, -4, 4), settings.begin() + 16);
  settings[28] = std::bit_cast<float>(static_cast<std::uint32_t>(kFirst));
  settings[30] = 2;
  settings[31] = -3;
  settings[32] = std::bit_cast<float>(std::int32_t{-17});
  return {
      .name = "std140_uniforms",
      .groups = {3, 1, 1},
      .buffers = {buffer(0, settings), buffer(1, integers<float>(kCount * 4, 244, -20, 20))},
      .oracle =
          [](Buffers& buffers) {
            const auto [s, values] = views<float, float>(buffers);
            for (std::size_t i = kFirst; i < kCount; ++i) {
              std::array<float, 3> v = {s[12], s[13], s[14]};
              for (std::size_t row = 0; row < 3; ++row) {
                v[row] += s[16 + row] * values[4 * i] + s[20 + row] * s[30] + s[24 + row] * s[31];
              }
              values[4 * i] = (v[0] + v[1] * s[i % 3 * 4] + v[2]) * s[15] - 17;
            }
          },
      .expected = {.workgroup_size = {32, 1, 1},
                   .bindings = {uniform_block(0, "settings", 132), runtime_array(1, "Values", Access::ReadWrite, 16)}}};
}

KernelCase nested_arrays() {
  constexpr std::size_t kCubes = 15;
  return {.name = "nested_arrays",
          .groups = {kCubes, 1, 1},
          .buffers = {buffer(0, words(kCubes * 12, 245)), zeros<std::uint32_t>(1, kCubes * 12)},
          .oracle =
              [](Buffers& buffers) {
                const auto [cells, turned] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t cube = 0; cube < kCubes * 12; cube += 12) {
                  for (std::size_t i = 0; i < 12; ++i) {
                    turned[cube + i % 3 * 4 + i / 3] = cells[cube + i] + cells[cube + 11 - i];
                  }
                }
              },
          .expected = {.workgroup_size = {12, 1, 1},
                       .bindings = {runtime_array(0, "cubes", Access::Read, 48),
                                    runtime_array(1, "turned", Access::Write, 48)}}};
}

KernelCase bytes_8bit() {
  constexpr std::size_t kCount = 160;
  return {.name = "bytes_8bit",
          .groups = {5, 1, 1},
          .buffers = {buffer(0, integers<std::uint8_t>(kCount, 246, 0, 255)),
                      buffer(1, integers<std::int8_t>(kCount * 2, 247, -128, 127))},
          .oracle =
              [](Buffers& buffers) {
                const auto [u, s] = views<std::uint8_t, std::int8_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const std::uint8_t v = u[i];
                  const std::int8_t x = s[2 * i];
                  u[i] = static_cast<std::uint8_t>(v * 3 + i);
                  s[2 * i] = static_cast<std::int8_t>(s[2 * i + 1] + (v >> 4));
                  s[2 * i + 1] = static_cast<std::int8_t>(-x + (v >> 4));
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Unsigned", Access::ReadWrite, 1),
                                    runtime_array(1, "Signed", Access::ReadWrite, 2)}}};
}

KernelCase shorts_16bit() {
  constexpr std::size_t kCount = 96;
  return {.name = "shorts_16bit",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, integers<std::uint16_t>(kCount * 2, 248, 0, 65'535)),
                      buffer(1, integers<std::int16_t>(kCount, 249, -400, 400)), zeros<std::uint16_t>(2, kCount * 2)},
          .oracle =
              [](Buffers& buffers) {
                const auto [u, s, result] = views<std::uint16_t, std::int16_t, std::uint16_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto sum = static_cast<std::uint16_t>(u[2 * i] + u[2 * i + 1] * 7);
                  const int bounded = std::clamp<int>(s[i], -300, 300);
                  result[2 * i] = sum;
                  result[2 * i + 1] = static_cast<std::uint16_t>(bounded ^ (sum >> 3));
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Unsigned", Access::Read, 4), runtime_array(1, "Signed", Access::Read, 2),
                           runtime_array(2, "Result", Access::Write, 2)}}};
}

KernelCase longs_64bit() {
  constexpr std::size_t kCount = 64;
  std::vector<std::uint64_t> wide(kCount);
  Sequence sequence(250);
  for (std::uint64_t& value : wide) value = std::uint64_t{sequence.next()} << 32u | sequence.next();
  return {
      .name = "longs_64bit",
      .groups = {2, 1, 1},
      .buffers = {buffer(0, wide), buffer(1, integers<std::int64_t>(kCount, 251, -3'000'000'000'000, 3'000'000'000))},
      .oracle =
          [](Buffers& buffers) {
            const auto [u, s] = views<std::uint64_t, std::int64_t>(buffers);
            for (std::size_t i = 0; i < kCount; ++i) {
              const std::uint64_t v = u[i];
              u[i] = (v << 7u | v >> 57u) * 0x9e37'79b9'7f4a'7c15u + (s[i] < 0 ? 1 : 0);
              s[i] = s[i] / 1000 - static_cast<std::int64_t>(v & 0xffu);
            }
          },
      .expected = {.workgroup_size = {32, 1, 1},
                   .bindings = {runtime_array(0, "Unsigned", Access::ReadWrite, 8),
                                runtime_array(1, "Signed", Access::ReadWrite, 8)}}};
}

KernelCase halves_16bit() {
  constexpr std::size_t kCount = 64;
  const std::vector<float> factors = integers<float>(kCount * 2, 252, -20, 20);
  std::vector<std::uint16_t> halves;
  for (const float factor : factors) halves.push_back(static_cast<std::uint16_t>(to_half(factor)));
  Buffer source = buffer(0, halves);
  Buffer result = zeros<std::uint16_t>(1, kCount);
  source.type = result.type = ScalarType::F16;
  return {.name = "halves_16bit",
          .groups = {4, 1, 1},
          .buffers = {source, result},
          .oracle =
              [factors](Buffers& buffers) {
                const auto sums = buffers[1].as<std::uint16_t>();
                for (std::size_t i = 0; i < kCount; ++i) {
                  sums[i] = static_cast<std::uint16_t>(to_half(factors[2 * i] * factors[2 * i + 1] + 0.5f));
                }
              },
          .expected = {
              .workgroup_size = {16, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 2)}}};
}

KernelCase doubles_64bit() {
  constexpr std::size_t kCount = 96;
  return {.name = "doubles_64bit",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, integers<double>(kCount * 2, 253, -100'000, 100'000)), zeros<double>(1, kCount),
                      zeros<float>(2, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result, narrow] = views<double, double, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const double x = source[2 * i];
                  const double y = source[2 * i + 1];
                  result[i] = (x * y + 1) * x - std::abs(y);
                  narrow[i] = static_cast<float>(x);
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 16), runtime_array(1, "Result", Access::Write, 8),
                           runtime_array(2, "Narrow", Access::Write, 4)}}};
}

KernelCase vec3_padding() {
  constexpr std::size_t kCount = 64;
  std::vector<std::int32_t> parts(4 + kCount * 4, 4242);
  std::ranges::copy(std::array{-10, -20, -30, 15}, parts.begin());
  return {.name = "vec3_padding",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kCount * 4, 254, -50, 50)), buffer(1, parts)},
          .oracle =
              [](Buffers& buffers) {
                const auto [vectors, part] = views<std::int32_t, std::int32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  for (std::size_t k = 0; k < 3; ++k) {
                    part[4 + 4 * i + k] = std::clamp(vectors[4 * i + k], part[k], part[3]);
                  }
                  vectors[4 * i + 1] = vectors[4 * i] + vectors[4 * i + 2];
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Vectors", Access::ReadWrite, 16),
                                    {.slot = 1,
                                     .name = "parts",
                                     .access = Access::ReadWrite,
                                     .stride = 16,
                                     .size = 16,
                                     .runtime_sized = true}}}};
}

KernelCase scalar_layout() {
  constexpr std::size_t kCount = 48;
  std::vector<float> vertices = integers<float>(1 + kCount * 6, 255, 1, 60);
  for (std::size_t i = 0; i < kCount; ++i) {
    vertices[6 + 6 * i] = std::bit_cast<float>(static_cast<std::uint32_t>(1000 + i));
  }
  return {.name = "scalar_layout",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, vertices), zeros<float>(1, kCount * 3)},
          .oracle =
              [](Buffers& buffers) {
                const auto [values, positions] = views<float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto vertex = values.subspan(1 + 6 * i, 6);
                  vertex[2] += values[0];
                  const auto id = std::bit_cast<std::uint32_t>(vertex[5]);
                  vertex[5] = std::bit_cast<float>(id * 2 + static_cast<std::uint32_t>(vertex[3]));
                  std::ranges::copy(vertex.first(3), positions.subspan(3 * i, 3).begin());
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {{.slot = 0,
                                     .name = "Vertices",
                                     .access = Access::ReadWrite,
                                     .stride = 24,
                                     .size = 4,
                                     .runtime_sized = true},
                                    runtime_array(1, "Positions", Access::Write, 12)}}};
}

KernelCase mixed_widths() {
  struct Record {
    std::uint8_t kind;
    std::uint8_t padding;
    std::uint16_t weight;
    std::uint32_t count;
    std::uint64_t total;
    float scale;
    std::uint32_t more_padding;
  };
  static_assert(sizeof(Record) == 24);
  Sequence sequence(256);
  std::vector<Record> records(32);
  for (Record& record : records) {
    record = {.kind = static_cast<std::uint8_t>(sequence.next()),
              .padding = 0xee,
              .weight = static_cast<std::uint16_t>(sequence.next()),
              .count = sequence.next(),
              .total = std::uint64_t{sequence.next()} << 20u,
              .scale = static_cast<float>(sequence.next() % 100) / 4,
              .more_padding = 0xeeee'eeeeu};
  }
  return {.name = "mixed_widths",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, records)},
          .oracle =
              [](Buffers& buffers) {
                for (Record& record : buffers[0].as<Record>()) {
                  record.total += std::uint64_t{record.weight} * record.count;
                  record.scale *= static_cast<float>(record.kind);
                  record.kind = static_cast<std::uint8_t>(record.kind ^ 1u);
                  record.weight = static_cast<std::uint16_t>(record.weight / 2);
                }
              },
          .expected = {.workgroup_size = {16, 1, 1}, .bindings = {runtime_array(0, "Records", Access::ReadWrite, 24)}}};
}

}  // namespace

std::vector<KernelCase> layout_kernels() {
  return {struct_nested(), row_and_column_major(), std140_uniforms(), nested_arrays(), bytes_8bit(),    shorts_16bit(),
          longs_64bit(),   halves_16bit(),         doubles_64bit(),   vec3_padding(),  scalar_layout(), mixed_widths()};
}

}  // namespace vyre::kernels
