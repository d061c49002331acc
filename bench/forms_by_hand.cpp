#include "bench/forms_by_hand.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include <vyre/program/glsl/compile.hpp>

#include "bench/lavapipe.hpp"
#include "bench/saxpy.hpp"

namespace vyre::bench {
namespace {

// The numbers are those of the enumerations.
constexpr const char* kOtherForms = R"(#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#if READ == 4 || READ == 5
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#endif
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x = LOCAL) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counter { uint next; };
layout(push_constant) uniform Root {
  uvec2 records;
  uvec2 zeros;
  uvec2 sink;
  uvec2 counter;
  uint first;
  uint count;
  uint groups;
  uint share;
};

struct Record {
  uvec4 groups;
  uvec4 x;
  uvec4 y;
  float scale;
  uint count;
  uint unused_0;
  uint unused_1;
};

#if READ == 0
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Records { Record at[]; };
Record read_record(uint item) { return Records(records).at[item]; }
#elif READ == 1
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Records { uvec4 at[]; };
Record read_record(uint item) {
  Records table = Records(records);
  uvec4 params = table.at[4 * item + 3];
  return Record(uvec4(0), table.at[4 * item + 1], table.at[4 * item + 2], uintBitsToFloat(params.x), params.y, 0, 0);
}
#elif READ == 2
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Records { uint at[]; };
Record read_record(uint item) {
  Records table = Records(records);
  uint at = 16 * item;
  return Record(uvec4(0), uvec4(table.at[at + 4], table.at[at + 5], table.at[at + 6], table.at[at + 7]),
                uvec4(table.at[at + 8], table.at[at + 9], table.at[at + 10], table.at[at + 11]),
                uintBitsToFloat(table.at[at + 12]), table.at[at + 13], 0, 0);
}
#elif READ == 3
// The eight words that are needed, of which the last but one of an entry is not.
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Records { uint at[]; };
Record read_record(uint item) {
  uint lane = gl_SubgroupInvocationID;
  uint word = Records(records).at[16 * item + 4 + lane + (lane >= 2 ? 1 : 0) + (lane >= 5 ? 1 : 0)];
  return Record(uvec4(0), uvec4(subgroupBroadcast(word, 0), subgroupBroadcast(word, 1), 0, subgroupBroadcast(word, 2)),
                uvec4(subgroupBroadcast(word, 3), subgroupBroadcast(word, 4), 0, subgroupBroadcast(word, 5)),
                uintBitsToFloat(subgroupBroadcast(word, 6)), subgroupBroadcast(word, 7), 0, 0);
}
#elif READ == 4
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Records { uint64_t at[]; };
Record read_record(uint item) {
  uint64_t pair = Records(records).at[8 * item + gl_SubgroupInvocationID];
  uvec2 params = unpackUint2x32(subgroupBroadcast(pair, 6));
  return Record(uvec4(unpackUint2x32(subgroupBroadcast(pair, 0)), unpackUint2x32(subgroupBroadcast(pair, 1))),
                uvec4(unpackUint2x32(subgroupBroadcast(pair, 2)), unpackUint2x32(subgroupBroadcast(pair, 3))),
                uvec4(unpackUint2x32(subgroupBroadcast(pair, 4)), unpackUint2x32(subgroupBroadcast(pair, 5))),
                uintBitsToFloat(params.x), params.y, 0, 0);
}
#elif READ == 5
struct PairRecord {
  uint64_t groups[2];
  uint64_t x[2];
  uint64_t y[2];
  uint64_t params;
  uint64_t unused;
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Records { PairRecord at[]; };
Record read_record(uint item) {
  PairRecord own = Records(records).at[item];
  uvec2 params = unpackUint2x32(own.params);
  return Record(uvec4(0), uvec4(unpackUint2x32(own.x[0]), unpackUint2x32(own.x[1])),
                uvec4(unpackUint2x32(own.y[0]), unpackUint2x32(own.y[1])), uintBitsToFloat(params.x), params.y, 0, 0);
}
#elif READ == 6
layout(binding = 0, std430) readonly buffer Records { Record at[]; } bound;
Record read_record(uint item) { return bound.at[item]; }
#else
layout(binding = 0, std140) uniform Records { Record at[ITEMS]; } bound;
Record read_record(uint item) { return bound.at[item]; }
#endif

void saxpy(Record item, uint i) {
  if (i < item.count) {
    Floats x = Floats(item.x.xy);
    Floats y = Floats(item.y.xy);
#if BOUNDS == 0
    y.at[i] = item.scale * x.at[i] + y.at[i];
#elif BOUNDS == 1
    float from = 0;
    float to = 0;
    if (i < item.x.w) from = x.at[i];
    if (i < item.y.w) to = y.at[i];
    to = item.scale * from + to;
    if (i < item.y.w) y.at[i] = to;
#elif BOUNDS == 2
    bool in_x = i < item.x.w;
    bool in_y = i < item.y.w;
    float from = Floats(in_x ? item.x.xy : zeros).at[in_x ? i : 0];
    float to = Floats(in_y ? item.y.xy : zeros).at[in_y ? i : 0];
    Floats(in_y ? item.y.xy : sink).at[in_y ? i : 0] = item.scale * from + to;
#elif BOUNDS == 4
    bool in_x = i < item.x.w;
    bool in_y = i < item.y.w;
    float from = x.at[in_x ? i : 0];
    float to = y.at[in_y ? i : 0];
    from = in_x ? from : 0;
    to = in_y ? to : 0;
    to = item.scale * from + to;
    if (in_y) y.at[i] = to;
#else
    float from = x.at[min(i, item.x.w - 1)];
    float to = y.at[min(i, item.y.w - 1)];
    from = i < item.x.w ? from : 0;
    to = i < item.y.w ? to : 0;
    to = item.scale * from + to;
    if (i < item.y.w) y.at[i] = to;
#endif
  }
}

void run_group(Record item, uint group) {
#if LOCAL == WIDTH
  saxpy(item, group * WIDTH + gl_LocalInvocationID.x);
#else
  for (uint i = gl_LocalInvocationID.x; i < WIDTH; i += LOCAL) saxpy(item, group * WIDTH + i);
#endif
}

void run_item(uint index) {
  Record item = read_record(index);
#if GRID == 0
  run_group(item, 0);
#elif GRID == 1
  for (uint z = 0; z < item.groups.z; ++z) {
    for (uint y = 0; y < item.groups.y; ++y) {
      for (uint x = 0; x < item.groups.x; ++x) run_group(item, x);
    }
  }
#else
  uvec3 group = uvec3(0);
  while (group.z < item.groups.z) {
    run_group(item, group.x);
    ++group.x;
    bool is_row_done = group.x >= item.groups.x;
    group.x = is_row_done ? 0 : group.x;
    group.y += is_row_done ? 1 : 0;
    bool is_plane_done = group.y >= item.groups.y;
    group.y = is_plane_done ? 0 : group.y;
    group.z += is_plane_done ? 1 : 0;
  }
#endif
}

#if FORM == 1
void main() { run_item(first); }
#elif FORM == 2
void main() { run_item(gl_WorkGroupID.z); }
#elif FORM == 3
void main() {
  for (uint item = gl_WorkGroupID.x; item < count; item += groups) run_item(item);
}
#elif FORM == 4
void main() {
  uint begin = gl_WorkGroupID.x * share;
  uint end = min(begin + share, count);
  for (uint item = begin; item < end; ++item) run_item(item);
}
#elif LOCAL == 8
void main() {
  while (true) {
    uint begin = 0;
    if (subgroupElect()) begin = atomicAdd(Counter(counter).next, CHUNK);
    begin = subgroupBroadcastFirst(begin);
    if (begin >= count) break;
    uint end = min(begin + CHUNK, count);
    for (uint item = begin; item < end; ++item) run_item(item);
  }
}
#else
shared uint taken;
void main() {
  while (true) {
    if (gl_LocalInvocationIndex == 0) taken = atomicAdd(Counter(counter).next, CHUNK);
    barrier();
    uint begin = taken;
    barrier();
    if (begin >= count) break;
    uint end = min(begin + CHUNK, count);
    for (uint item = begin; item < end; ++item) run_item(item);
  }
}
#endif
)";

// The buffers.
constexpr std::uint32_t kX = 0;
constexpr std::uint32_t kY = 1;
constexpr std::uint32_t kTable = 2;
constexpr std::uint32_t kStaging = 3;
constexpr std::uint32_t kCounter = 4;
constexpr std::uint32_t kZeros = 5;
constexpr std::uint32_t kSink = 6;

struct Params {
  float scale = 0;
  std::uint32_t count = 0;
};

/// What kernels of the forms other than the first are pushed.
struct HandRoot {
  std::uint64_t records = 0;
  std::uint64_t zeros = 0;
  std::uint64_t sink = 0;
  std::uint64_t counter = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t groups = 0;
  std::uint32_t share = 0;
};

std::vector<std::uint32_t> compile(const HandVariant& how, std::uint32_t count, std::uint32_t width) {
  const auto number = [](auto value) { return std::to_string(static_cast<std::uint32_t>(value)); };
  program::GlslOptions options{.file_name = "saxpy.comp"};
  options.defines = {{"LOCAL", number(how.local)}, {"WIDTH", number(width)},          {"ITEMS", number(count)},
                     {"FORM", number(how.form)},   {"BOUNDS", number(how.bounds)},    {"READ", number(how.read)},
                     {"GRID", number(how.grid)},   {"CHUNK", number(how.chunk) + "u"}};
  return must(program::compile_glsl(how.form == HandForm::Descriptor ? kSaxpy : kOtherForms, options));
}

}  // namespace

static_assert(sizeof(SaxpyByHand::Record) == 64);

SaxpyByHand::SaxpyByHand(std::uint32_t count, std::uint32_t width, HandItems items)
    : count_{count},
      width_{width},
      raw_{std::vector<std::uint64_t>{std::uint64_t{count} * width * sizeof(float),
                                      std::uint64_t{count} * width * sizeof(float), count * sizeof(Record),
                                      count * sizeof(Record), 64, 64, 64},
           2 * count + 256, 2 * (2 * count + 256)} {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t offset = std::uint64_t{i} * width * sizeof(float);
    const auto entry = [&](std::uint32_t buffer, std::uint32_t elements, std::uint32_t(&words)[4]) {
      const std::uint64_t address = raw_.address(buffer) + offset;
      std::memcpy(words, &address, sizeof(address));
      words[2] = elements * sizeof(float);
      words[3] = elements;
    };
    const auto less = [&](std::uint32_t which) { return items == HandItems::Uneven && i % 16 == which ? 1U : 0U; };
    Record record{.scale = static_cast<float>(i % 7) + 0.5F, .count = width - less(15)};
    entry(kX, width - less(7), record.x);
    entry(kY, width - less(11), record.y);
    records_.push_back(record);
  }
  std::memcpy(raw_.mapped(kTable).data(), records_.data(), count * sizeof(Record));
  fill();
}

std::span<float> SaxpyByHand::floats(std::uint32_t buffer) const {
  return {reinterpret_cast<float*>(raw_.mapped(buffer).data()), std::size_t{count_} * width_};
}

std::span<float> SaxpyByHand::x() const { return floats(kX); }
std::span<float> SaxpyByHand::y() const { return floats(kY); }

std::vector<RawView> SaxpyByHand::views(std::uint32_t item) const {
  const std::uint64_t offset = std::uint64_t{item} * width_ * sizeof(float);
  return {{.buffer = kX, .offset = offset, .size = records_[item].x[2]},
          {.buffer = kY, .offset = offset, .size = records_[item].y[2]}};
}

void SaxpyByHand::fill() {
  const std::span<float> x = this->x();
  const std::span<float> y = this->y();
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 251 + 1);
    y[i] = static_cast<float>(i % 17 + 1);
  }
}

SaxpyByHand::Variant::Variant(SaxpyByHand& items, const HandVariant& how)
    : all_{&items}, how_{how}, commands_{items.raw_.make_commands()} {
  if (how_.local == 0) how_.local = items.width_;
  const bool is_descriptor = how.form == HandForm::Descriptor;
  kernel_ = items.raw_.make_kernel(
      {.words = compile(how_, items.count_, items.width_),
       .storage_buffers = is_descriptor ? 2U : (how.read == HandRead::Storage ? 1U : 0U),
       .uniform_buffers = !is_descriptor && how.read == HandRead::Uniform ? 1U : 0U,
       .push_bytes = static_cast<std::uint32_t>(is_descriptor ? sizeof(Params) : sizeof(HandRoot))});
  if (is_descriptor) {
    for (std::uint32_t i = 0; i < items.count_; ++i) sets_.push_back(items.raw_.make_set(kernel_, items.views(i)));
  } else if (how.read == HandRead::Storage || how.read == HandRead::Uniform) {
    const RawView table{.buffer = kTable, .size = items.count_ * sizeof(Record)};
    sets_.push_back(items.raw_.make_set(kernel_, std::span{&table, 1}));
  }
  record();
}

void SaxpyByHand::Variant::record() {
  const RawDevice& raw = all_->raw_;
  const VkCommandBufferBeginInfo begin{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = how_.is_recorded_anew ? VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT} : 0};
  check(raw.vk().vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  if (how_.is_table_new) raw.copy(commands_, kStaging, kTable, all_->count_ * sizeof(Record));
  if (how_.form == HandForm::Queue) raw.clear(commands_, kCounter);
  raw.vk().vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.pipeline);
  record_list();
  raw.barrier(commands_, true);
  check(raw.vk().vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

void SaxpyByHand::Variant::record_list() {
  const RawDevice& raw = all_->raw_;
  const std::uint32_t count = all_->count_;
  const auto bind = [&](VkDescriptorSet set) {
    raw.vk().vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout, 0, 1, &set, 0, nullptr);
  };
  const auto push = [&](const auto& value, std::uint32_t offset) {
    raw.vk().vkCmdPushConstants(commands_, kernel_.layout, VK_SHADER_STAGE_COMPUTE_BIT, offset, sizeof(value), &value);
  };
  if (how_.form == HandForm::Descriptor) {
    for (std::uint32_t i = 0; i < count; ++i) {
      bind(sets_[i]);
      push(Params{.scale = all_->records_[i].scale, .count = all_->records_[i].count}, 0);
      raw.vk().vkCmdDispatch(commands_, 1, 1, 1);
    }
    return;
  }
  if (!sets_.empty()) bind(sets_[0]);
  push(HandRoot{.records = raw.address(kTable),
                .zeros = raw.address(kZeros),
                .sink = raw.address(kSink),
                .counter = raw.address(kCounter),
                .count = count,
                .groups = how_.groups,
                .share = (count + how_.groups - 1) / how_.groups},
       0);
  if (how_.form == HandForm::Pointer) {
    for (std::uint32_t i = 0; i < count; ++i) {
      push(i, offsetof(HandRoot, first));
      raw.vk().vkCmdDispatch(commands_, 1, 1, 1);
    }
  } else if (how_.form == HandForm::Merged) {
    raw.vk().vkCmdDispatch(commands_, 1, 1, count);
  } else {
    raw.vk().vkCmdDispatch(commands_, how_.groups, 1, 1);
  }
}

void SaxpyByHand::Variant::run() {
  if (how_.is_recorded_anew) record();
  if (how_.is_table_new) {
    std::memcpy(all_->raw_.mapped(kStaging).data(), all_->records_.data(), all_->count_ * sizeof(Record));
  }
  all_->raw_.run(commands_);
}

bool SaxpyByHand::Variant::is_right() {
  all_->fill();
  const std::span<const float> x = all_->x();
  const std::span<const float> y = all_->y();
  std::vector<float> expected{y.begin(), y.end()};
  const bool is_checked = how_.form == HandForm::Descriptor || how_.bounds != HandBounds::None;
  for (std::size_t item = 0; item < all_->count_; ++item) {
    const Record& record = all_->records_[item];
    for (std::uint32_t i = 0; i < record.count; ++i) {
      const std::size_t at = item * all_->width_ + i;
      const float from = is_checked && i >= record.x[3] ? 0 : x[at];
      if (!is_checked || i < record.y[3]) expected[at] = record.scale * from + expected[at];
    }
  }
  run();
  return std::ranges::equal(expected, y);
}

}  // namespace vyre::bench
