#include "bench/sum_by_hand.hpp"

#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <vyre/program/glsl/compile.hpp>

#include "bench/lavapipe.hpp"

namespace vyre::bench {
namespace {

constexpr const char* kByTable = R"(#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x = WIDTH) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Table { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Pairs { uint64_t at[]; };
layout(push_constant) uniform Root { uvec2 root; };

float read(uvec2 address, uint elements, uint i) {
  float value = 0;
  if (!IS_CHECKED || i < elements) value = Floats(address).at[i];
  return value;
}

float entry(uint k, uint i) {
  uvec4 own = Table(root).at[k];
  return read(own.xy, own.w, i);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  float sum = 0;
#if BINDING == 1
  for (uint k = 0; k < COUNT - 1; ++k) sum += entry(k, i);
#elif BINDING == 2
  UNROLLED
#else
  for (uint begin = 0; begin < COUNT - 1; begin += gl_SubgroupSize) {
    uint k = min(begin + gl_SubgroupInvocationID, COUNT - 1);
    uint64_t address = Pairs(root).at[2 * k];
    uint64_t size = Pairs(root).at[2 * k + 1];
    uint end = min(gl_SubgroupSize, COUNT - 1 - begin);
    for (uint lane = 0; lane < end; ++lane) {
      sum += read(unpackUint2x32(subgroupBroadcast(address, lane)), unpackUint2x32(subgroupBroadcast(size, lane)).y, i);
    }
  }
#endif
  uvec4 last = Table(root).at[COUNT - 1];
  if (!IS_CHECKED || i < last.w) Floats(last.xy).at[i] = sum;
}
)";

// The buffers.
constexpr std::uint32_t kData = 0;
constexpr std::uint32_t kTable = 1;
constexpr std::uint32_t kStaging = 2;

std::string by_descriptors(std::uint32_t buffers) {
  std::string text = "#version 450\nlayout(local_size_x = WIDTH) in;\n";
  std::string body;
  for (std::uint32_t i = 0; i < buffers; ++i) {
    fmt::format_to(std::back_inserter(text), "layout(binding = {0}) buffer B{0} {{ float at[]; }} b{0};\n", i);
    if (i + 1 < buffers) fmt::format_to(std::back_inserter(body), "  sum += b{}.at[i];\n", i);
  }
  return fmt::format(
      "{}void main() {{\n  uint i = gl_GlobalInvocationID.x;\n  float sum = 0;\n{}  b{}.at[i] = sum;\n}}\n", text, body,
      buffers - 1);
}

std::vector<std::uint32_t> compile(const SumVariant& how) {
  std::string unrolled;
  for (std::uint32_t i = 0; i + 1 < how.buffers; ++i) {
    fmt::format_to(std::back_inserter(unrolled), "sum += entry({}, i);\n  ", i);
  }
  std::string text = how.binding == SumBinding::Descriptors ? by_descriptors(how.buffers) : kByTable;
  constexpr std::string_view kMark = "UNROLLED";
  if (const std::size_t at = text.find(kMark); at != std::string::npos) text.replace(at, kMark.size(), unrolled);
  program::GlslOptions options{.file_name = "sum.comp"};
  options.defines = {{"WIDTH", std::to_string(SumByHand::kWidth)},
                     {"COUNT", std::to_string(how.buffers)},
                     {"BINDING", std::to_string(std::to_underlying(how.binding))},
                     {"IS_CHECKED", how.is_checked ? "true" : "false"}};
  return must(program::compile_glsl(text, options));
}

}  // namespace

SumByHand::SumByHand(std::uint32_t dispatches, std::uint32_t max_buffers)
    : dispatches_{dispatches},
      max_buffers_{max_buffers},
      raw_{std::vector<std::uint64_t>{std::uint64_t{dispatches} * max_buffers * kWidth * sizeof(float),
                                      std::uint64_t{dispatches} * max_buffers * sizeof(Entry),
                                      std::uint64_t{dispatches} * max_buffers * sizeof(Entry)},
           16 * dispatches, 16 * dispatches * 32},
      data_address_{raw_.address(kData)} {}

std::vector<RawView> SumByHand::views(std::uint32_t dispatch, std::uint32_t buffers) const {
  constexpr std::uint64_t kBytes = kWidth * sizeof(float);
  std::vector<RawView> result;
  for (std::uint64_t i = 0; i < buffers; ++i) {
    result.push_back(
        {.buffer = kData, .offset = (dispatch * std::uint64_t{max_buffers_} + i) * kBytes, .size = kBytes});
  }
  return result;
}

void SumByHand::write_table(std::uint32_t buffers) {
  constexpr std::uint32_t kBytes = kWidth * sizeof(float);
  const std::span table{reinterpret_cast<Entry*>(raw_.mapped(kStaging).data()), std::size_t{dispatches_} * buffers};
  for (std::size_t i = 0; i < dispatches_; ++i) {
    for (std::size_t k = 0; k < buffers; ++k) {
      table[i * buffers + k] = {
          .address = data_address_ + (i * max_buffers_ + k) * kBytes, .bytes = kBytes, .elements = kWidth};
    }
  }
}

SumByHand::Variant::Variant(SumByHand& sums, const SumVariant& how)
    : all_{&sums}, how_{how}, commands_{sums.raw_.make_commands()} {
  const bool by_sets = how.binding == SumBinding::Descriptors;
  kernel_ = sums.raw_.make_kernel({.words = compile(how),
                                   .storage_buffers = by_sets ? how.buffers : 0,
                                   .push_bytes = by_sets ? 0 : static_cast<std::uint32_t>(sizeof(std::uint64_t))});
  for (std::uint32_t i = 0; by_sets && i < sums.dispatches_; ++i) {
    sets_.push_back(sums.raw_.make_set(kernel_, sums.views(i, how.buffers)));
  }
  record();
}

void SumByHand::Variant::record() {
  const RawDevice& raw = all_->raw_;
  const std::uint64_t table_bytes = std::uint64_t{how_.buffers} * sizeof(Entry);
  const std::uint64_t table = raw.address(kTable);
  const VkCommandBufferBeginInfo begin{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = how_.is_recorded_anew ? VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT} : 0};
  check(raw.vk().vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  if (how_.is_bound_anew && sets_.empty()) raw.copy(commands_, kStaging, kTable, table_bytes * all_->dispatches_);
  raw.vk().vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.pipeline);
  for (std::uint32_t i = 0; i < all_->dispatches_; ++i) {
    if (sets_.empty()) {
      const std::uint64_t root = table + i * table_bytes;
      raw.vk().vkCmdPushConstants(commands_, kernel_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(root), &root);
    } else {
      raw.vk().vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout, 0, 1, &sets_[i], 0,
                                       nullptr);
    }
    raw.vk().vkCmdDispatch(commands_, 1, 1, 1);
  }
  raw.barrier(commands_, true);
  check(raw.vk().vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

void SumByHand::Variant::run() {
  if (how_.is_bound_anew) {
    for (std::uint32_t i = 0; i < sets_.size(); ++i) {
      all_->raw_.update_set(kernel_, sets_[i], all_->views(i, how_.buffers));
    }
    if (sets_.empty()) all_->write_table(how_.buffers);
  }
  if (how_.is_recorded_anew) record();
  all_->raw_.run(commands_);
}

bool SumByHand::Variant::is_right() {
  const std::span floats{reinterpret_cast<float*>(all_->raw_.mapped(kData).data()),
                         std::size_t{all_->dispatches_} * all_->max_buffers_ * kWidth};
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(i % 61);
  all_->write_table(how_.buffers);
  const std::size_t table_bytes = std::size_t{all_->dispatches_} * how_.buffers * sizeof(Entry);
  std::memcpy(all_->raw_.mapped(kTable).data(), all_->raw_.mapped(kStaging).data(), table_bytes);
  run();
  for (std::size_t dispatch = 0; dispatch < all_->dispatches_; ++dispatch) {
    const std::span own = floats.subspan(dispatch * all_->max_buffers_ * kWidth, how_.buffers * kWidth);
    for (std::size_t i = 0; i < kWidth; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k + 1 < how_.buffers; ++k) sum += own[k * kWidth + i];
      if (own[(how_.buffers - 1) * kWidth + i] != sum) return false;
    }
  }
  return true;
}

}  // namespace vyre::bench
