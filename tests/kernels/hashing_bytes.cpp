#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase fnv1a_strings() {
  constexpr std::size_t kCount = 64;
  constexpr std::size_t kBytes = 24;
  return {
      .name = "fnv1a_strings",
      .groups = {2, 1, 1},
      .buffers = {buffer(0, integers<std::uint8_t>(kCount * kBytes, 160, 0, 255)),
                  buffer(1, integers<std::uint32_t>(kCount, 161, 0, kBytes)), zeros<std::uint32_t>(2, kCount)},
      .oracle =
          [](Buffers& buffers) {
            const auto [text, lengths, hashes] = views<std::uint8_t, std::uint32_t, std::uint32_t>(buffers);
            for (std::size_t i = 0; i < kCount; ++i) {
              hashes[i] = 0x811c'9dc5u;
              for (const std::uint8_t byte : text.subspan(i * kBytes, lengths[i])) {
                hashes[i] = (hashes[i] ^ byte) * 0x0100'0193u;
              }
            }
          },
      .expected = {.workgroup_size = {32, 1, 1},
                   .bindings = {runtime_array(0, "Text", Access::Read, 4), runtime_array(1, "Lengths", Access::Read, 4),
                                runtime_array(2, "Hashes", Access::Write, 4)},
                   .unbounded_loops = 1}};
}

KernelCase avalanche() {
  return {.name = "avalanche",
          .groups = {16, 1, 1},
          .buffers = {buffer(0, words(std::size_t{16} * 64, 162))},
          .oracle =
              [](Buffers& buffers) {
                for (std::uint32_t& v : buffers[0].as<std::uint32_t>()) {
                  v = (v ^ v >> 16u) * 0x7feb'352du;
                  v = (v ^ v >> 15u) * 0x846c'a68bu;
                  v = std::rotl(v ^ v >> 16u, 11);
                }
              },
          .expected = {.workgroup_size = {64, 1, 1}, .bindings = {runtime_array(0, "Keys", Access::ReadWrite, 4)}}};
}

KernelCase byte_count() {
  constexpr std::uint32_t kCount = 777;
  return {.name = "byte_count",
          .groups = {25, 1, 1},
          .buffers = {buffer(0, integers<std::uint8_t>(780, 164, 8, 20)), zeros<std::uint32_t>(1, 2)},
          .push_constants = pack(kCount),
          .oracle =
              [](Buffers& buffers) {
                const auto [text, counts] = views<std::uint8_t, std::uint32_t>(buffers);
                for (const std::uint8_t byte : text.first(kCount)) ++counts[byte == '\n' ? 0 : 1];
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Text", Access::Read, 1), fixed_block(1, "counts", Access::ReadWrite, 8)},
              .push_constant_size = 4,
              .push_constants = {{"count", 0, 4}},
              .atomics = true}};
}

KernelCase line_starts() {
  constexpr std::size_t kBytes = std::size_t{8} * 32 * 4;
  return {.name = "line_starts",
          .groups = {8, 1, 1},
          .buffers = {buffer(0, integers<std::uint8_t>(kBytes, 165, 8, 20)),
                      zeros<std::uint32_t>(1, 1 + kBytes, kUnordered)},
          .oracle =
              [](Buffers& buffers) {
                const auto [text, lines] = views<std::uint8_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kBytes; ++i) {
                  if (text[i] == '\n') lines[++lines[0]] = static_cast<std::uint32_t>(i + 1);
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Text", Access::Read, 4),
                                    {.slot = 1,
                                     .name = "lines",
                                     .access = Access::ReadWrite,
                                     .stride = 4,
                                     .size = 4,
                                     .runtime_sized = true}},
                       .atomics = true,
                       .bounded_loops = 1}};
}

KernelCase crc32_blocks() {
  constexpr std::size_t kBlocks = 80;
  return {.name = "crc32_blocks",
          .groups = {5, 1, 1},
          .buffers = {buffer(0, integers<std::uint8_t>(kBlocks * 16, 166, 0, 255)), zeros<std::uint32_t>(1, kBlocks)},
          .oracle =
              [](Buffers& buffers) {
                const auto [bytes, checks] = views<std::uint8_t, std::uint32_t>(buffers);
                for (std::size_t block = 0; block < kBlocks; ++block) {
                  std::uint32_t crc = 0xffff'ffffu;
                  for (const std::uint8_t byte : bytes.subspan(block * 16, 16)) {
                    crc ^= byte;
                    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1u ^ ((crc & 1u) != 0 ? 0xedb8'8320u : 0u);
                  }
                  checks[block] = ~crc;
                }
              },
          .expected = {
              .workgroup_size = {16, 1, 1},
              .bindings = {runtime_array(0, "Blocks", Access::Read, 16), runtime_array(1, "Checks", Access::Write, 4)},
              .bounded_loops = 2}};
}

KernelCase utf8_code_points() {
  constexpr std::size_t kGroups = 3;
  constexpr std::string_view kPattern = "na\xc3\xafve \xe2\x86\x92 \xf0\x9f\x98\x80 ok ";
  std::vector<std::uint8_t> text(kGroups * 256);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(kPattern[i % kPattern.size()]);
  return {.name = "utf8_code_points",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, text), zeros<std::uint32_t>(1, kGroups)},
          .oracle =
              [](Buffers& buffers) {
                const auto [bytes, counts] = views<std::uint8_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < bytes.size(); ++i) {
                  const bool is_continuation = bytes[i] >= 0x80 && bytes[i] <= 0xbf;
                  if (!is_continuation) ++counts[i / 256];
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Text", Access::Read, 4), runtime_array(1, "Counts", Access::Write, 4)},
              .shared_bytes = 4,
              .barriers = true,
              .atomics = true,
              .bounded_loops = 1}};
}

}  // namespace

std::vector<KernelCase> hashing_bytes_kernels() {
  return {fnv1a_strings(), avalanche(), byte_count(), line_starts(), crc32_blocks(), utf8_code_points()};
}

}  // namespace vyre::kernels
