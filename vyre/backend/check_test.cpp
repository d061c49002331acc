#include <vyre/backend/check.hpp>

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kKernel = R"(#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 1, binding = 2) buffer Weights { uint first[4]; uint weights[]; };
layout(set = 0, binding = 1) uniform Scale { vec4 scale[2]; };
layout(set = 0, binding = 5) buffer Parts { uint value; } parts[2];
layout(push_constant) uniform P { uint count; };
shared uint sums[16];
void main() {
  sums[0] = count;
  weights[0] = first[0] + uint(scale[0].x) + sums[0];
  parts[0].value = parts[1].value;
}
)";

DeviceInfo small_device() {
  return {.limits = {.memory_bytes = 1 << 20,
                     .max_buffer_bytes = 4096,
                     .max_storage_range = 1024,
                     .max_uniform_range = 512,
                     .storage_alignment = 16,
                     .uniform_alignment = 64,
                     .max_sets = 2,
                     .max_storage_buffers = 3,
                     .max_uniform_buffers = 1,
                     .max_buffers = 4,
                     .max_push_bytes = 4,
                     .max_groups = {10, 20, 30},
                     .max_workgroup = {8, 4, 1},
                     .max_workgroup_invocations = 32,
                     .max_shared_bytes = 64,
                     .max_spirv_version = 0x0001'0600,
                     .max_timestamps = 2},
          .spirv_capabilities = {"Shader"}};
}

program::Program kernel() { return program::Program::from_glsl(kKernel, {.name = "mixed"}).value(); }

TEST(CheckProgram, NamesTheLimitThatIsPassed) {
  const program::Program program = kernel();
  const auto refusal = [&](auto change) {
    DeviceInfo info = small_device();
    change(info.limits);
    const Result<void> checked = check_program(program.interface(), info);
    return checked ? std::string{"runs"} : to_string(checked.error());
  };
  EXPECT_EQ(refusal([](Limits&) {}), "runs");
  const std::string prefix = "error[unsupported]: ";
  EXPECT_EQ(refusal([](Limits& l) { l.max_sets = 1; }), prefix + "the number of a set is 1, the device's limit is 0");
  EXPECT_EQ(refusal([](Limits& l) { l.max_storage_buffers = 2; }),
            prefix + "the number of storage buffers is 3, the device's limit is 2");
  EXPECT_EQ(refusal([](Limits& l) { l.max_uniform_buffers = 0; }),
            prefix + "the number of uniform buffers is 1, the device's limit is 0");
  EXPECT_EQ(refusal([](Limits& l) { l.max_buffers = 3; }),
            prefix + "the number of buffers is 4, the device's limit is 3");
  EXPECT_EQ(refusal([](Limits& l) { l.max_push_bytes = 3; }),
            prefix + "the size of the push constants in bytes is 4, the device's limit is 3");
  EXPECT_EQ(refusal([](Limits& l) { l.max_workgroup[1] = 3; }),
            prefix + "the workgroup's size in y is 4, the device's limit is 3");
  EXPECT_EQ(refusal([](Limits& l) { l.max_workgroup_invocations = 31; }),
            prefix + "the number of invocations of a workgroup is 32, the device's limit is 31");
  EXPECT_EQ(refusal([](Limits& l) { l.max_shared_bytes = 63; }),
            prefix + "the workgroup's shared memory in bytes is 64, of which 'sums' is 64, the device's limit is 63");
  EXPECT_EQ(refusal([](Limits& l) { l.max_spirv_version = 0x0001'0000; }),
            prefix + "the module has SPIR-V 1.6, the device takes 1.0 or older");
  DeviceInfo bare = small_device();
  bare.spirv_capabilities.clear();
  EXPECT_THAT(check_program(program.interface(), bare).error().message, HasSubstr("the capability Shader"));
}

TEST(CheckProgram, NamesTheLayoutThatTheDeviceLacks) {
  const program::Program program = program::Program::from_glsl(R"(#version 450
    #extension GL_EXT_scalar_block_layout : require
    layout(scalar, binding = 0) buffer Data { float a; vec3 b[]; };
    void main() { b[0] = vec3(a); })")
                                       .value();
  DeviceInfo info = small_device();
  for (const auto layout : {program::BlockLayout::Standard, program::BlockLayout::UniformStandard}) {
    info.block_layout = layout;
    const Result<void> checked = check_program(program.interface(), info);
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(checked.error().message, HasSubstr("the kernel needs the block layout scalar, the device has "));
  }
  info.block_layout = program::BlockLayout::Scalar;
  EXPECT_TRUE(check_program(program.interface(), info).has_value());
}

TEST(CheckProgram, BindsVariablesOfOneSlotOnce) {
  const program::Program program = program::Program::from_glsl(R"(#version 450
    layout(binding = 0) readonly buffer Words { uint words[]; };
    layout(binding = 0) writeonly buffer Quads { uvec4 head[4]; uvec4 quads[]; };
    void main() { const uint word = words[7]; quads[0] = uvec4(word); })",
                                                               {.optimise = false})
                                       .value();
  const std::vector<RangeRule> rules = rules_of(program.interface());
  EXPECT_THAT(slots_of(program.interface()), ElementsAre(BindingSlot{.set = 0, .slot = 0}));
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].name, "Words");
  EXPECT_THAT(rules[0].other_names, ElementsAre("Quads"));
  EXPECT_EQ(rules[0].min_bytes, 64U) << "of the largest";
}

TEST(CheckProgram, SpreadsArraysOfBuffersOut) {
  const std::vector<RangeRule> rules = rules_of(kernel().interface());
  EXPECT_THAT(slots_of(kernel().interface()),
              ElementsAre(BindingSlot{.set = 0, .slot = 1, .kind = program::BindingKind::UniformBuffer},
                          BindingSlot{.set = 0, .slot = 5, .count = 2}, BindingSlot{.set = 1, .slot = 2}));
  ASSERT_EQ(rules.size(), 4U);
  EXPECT_EQ(rules[0].min_bytes, 32U);
  EXPECT_EQ(rules[2].element, 1U);
  EXPECT_EQ(rules[3].name, "Weights");
  EXPECT_EQ(rules[3].min_bytes, 16U);
}

class CheckList : public testing::Test {
 protected:
  CheckList() {
    buffer_ = buffers_.insert({.object = std::make_unique<DriverBuffer>(), .desc = {.size = 2000}}).value();
    const program::Program program = kernel();
    pipeline_ = pipelines_
                    .insert({.object = std::make_unique<DriverPipeline>(),
                             .program = program,
                             .rules = rules_of(program.interface()),
                             .push_bytes = 4})
                    .value();
    ranges_.fill({.buffer = buffer_, .offset = 64, .size = 256});
  }

  /// The refusal of a list made by `build`, in one line.
  template <typename Build>
  std::string refusal(Build build) {
    CommandList list;
    build(list);
    const Result<bool> checked = check_list({.list = list, .buffers = buffers_, .pipelines = pipelines_}, limits_);
    return checked ? "runs" : checked.error().message + " " + checked.error().context.at(0);
  }
  /// Of a dispatch with one of its ranges changed.
  template <typename Change>
  std::string refusal_of(std::size_t index, Change change) {
    std::array<BufferRange, 4> ranges = ranges_;
    change(ranges.at(index));
    return refusal([&](CommandList& list) { list.dispatch(pipeline_, ranges, {1, 1, 1}, params_); });
  }

  BufferTable buffers_;
  PipelineTable pipelines_;
  BufferHandle buffer_;
  PipelineHandle pipeline_;
  std::array<BufferRange, 4> ranges_;
  std::array<std::byte, 4> params_ = {};
  Limits limits_ = small_device().limits;
};

TEST_F(CheckList, NamesTheBindingTheValueAndTheLimit) {
  const std::string where = " while checking command 0, a dispatch of 'mixed'";
  EXPECT_EQ(refusal_of(0, [](BufferRange&) {}), "runs");
  EXPECT_EQ(refusal_of(0, [](BufferRange& r) { r.offset = 16; }),
            "binding 1 'Scale' begins at byte 16, the device needs a multiple of 64" + where);
  EXPECT_EQ(refusal_of(0, [](BufferRange& r) { r.size = 31; }),
            "binding 1 'Scale' needs at least 32 bytes, the view has 31" + where);
  EXPECT_EQ(refusal_of(0, [](BufferRange& r) { r.size = 513; }),
            "binding 1 'Scale' has 513 bytes, the device's limit is 512" + where);
  EXPECT_EQ(refusal_of(2,
                       [](BufferRange& r) {
                         r.offset = 1984;
                         r.size = 17;
                       }),
            "binding 5 'parts' element 1 has 17 bytes at 1984, the buffer has 2000" + where);
  EXPECT_EQ(refusal_of(3,
                       [](BufferRange& r) {
                         r.offset = 2000;
                         r.size = kWholeBuffer;
                       }),
            "binding 2 of set 1 'Weights' has 0 bytes at 2000, the buffer has 2000" + where);
  EXPECT_EQ(refusal_of(3,
                       [](BufferRange& r) {
                         r.offset = ~std::uint64_t{15};
                         r.size = 32;
                       }),
            "binding 2 of set 1 'Weights' has 32 bytes at 18446744073709551600, the buffer has 2000" + where);
  EXPECT_EQ(refusal_of(3, [](BufferRange& r) { r.buffer.generation += 2; }),
            "the buffer of binding 2 of set 1 'Weights' does not exist, or was freed" + where);
}

TEST_F(CheckList, RefusesDispatchesThatDoNotFit) {
  const auto with = [&](std::size_t ranges, Groups groups, std::size_t params) {
    return refusal([&](CommandList& list) {
      list.barrier();
      list.dispatch(pipeline_, std::span{ranges_}.first(ranges), groups, std::span{params_}.first(params));
    });
  };
  EXPECT_EQ(with(4, {10, 20, 30}, 4), "runs");
  EXPECT_EQ(with(4, {0, 0, 0}, 4), "runs");
  EXPECT_THAT(with(4, {10, 21, 30}, 4), HasSubstr("the dispatch has 21 groups in y, the device's limit is 20"));
  EXPECT_THAT(with(3, {1, 1, 1}, 4), HasSubstr("program 'mixed' has 4 buffers, the dispatch binds 3"));
  EXPECT_THAT(with(4, {1, 1, 1}, 0), HasSubstr("has 4 bytes of push constants, the dispatch gives 0"));
  EXPECT_THAT(with(4, {1, 1, 1}, 0), HasSubstr("while checking command 1"));
}

TEST_F(CheckList, RefusesCopiesFillsAndTimestampsThatDoNotFit) {
  const auto copy = [&](std::uint64_t from, std::uint64_t to, std::uint64_t size) {
    return refusal([&](CommandList& list) { list.copy(buffer_, from, buffer_, to, size); });
  };
  EXPECT_EQ(copy(1, 1000, 999), "runs");
  EXPECT_THAT(copy(1, 1000, 1000), HasSubstr("overlap"));
  EXPECT_THAT(copy(0, 1000, 1001), HasSubstr("the destination has 1001 bytes at 1000, the buffer has 2000"));
  EXPECT_THAT(copy(~std::uint64_t{0}, 0, 2), HasSubstr("the source has 2 bytes at 18446744073709551615"));
  EXPECT_THAT(copy(0, 1, 0), HasSubstr("0 bytes"));
  const auto fill = [&](std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) {
    return refusal([&](CommandList& list) { list.fill({buffer_, offset, size}, pattern); });
  };
  EXPECT_EQ(fill(1, 7, 0x0505'0505), "runs");
  EXPECT_EQ(fill(4, 8, 0x0102'0304), "runs");
  EXPECT_THAT(fill(4, 7, 0x0102'0304), HasSubstr("7 bytes at 4 are filled with 0x01020304"));
  EXPECT_THAT(fill(2000, kWholeBuffer, 0), HasSubstr("the range begins at 2000, the buffer has 2000 bytes"));
  const auto stamps = [&](std::size_t count, std::uint64_t offset) {
    return refusal([&](CommandList& list) {
      for (std::size_t i = 0; i < count; ++i) list.timestamp(buffer_, offset);
    });
  };
  EXPECT_EQ(stamps(2, 1992), "runs");
  EXPECT_THAT(stamps(3, 8), HasSubstr("the device's limit is 2"));
  EXPECT_THAT(stamps(1, 4), HasSubstr("at 4, it needs a multiple of 8"));
  EXPECT_THAT(stamps(1, 2000), HasSubstr("the timestamp has 8 bytes at 2000, the buffer has 2000"));
}

TEST(CheckBuffer, HasBytesWithinTheLimit) {
  const Limits limits = small_device().limits;
  EXPECT_TRUE(check_buffer({.size = 4096}, limits));
  EXPECT_EQ(check_buffer({.size = 4097}, limits).error().message,
            "a buffer of 4097 bytes is asked for, the device's limit is 4096");
  EXPECT_FALSE(check_buffer({.size = 0}, limits));
}

}  // namespace
}  // namespace vyre::backend
