#include <algorithm>
#include <array>
#include <vector>

#include "tests/conformance/conformance.hpp"

// Every limit: what is just within it runs, what is one past it is refused with the value and the limit.

namespace vyre::tests {
namespace {

TEST_P(Conformance, DescribesADeviceThatVyreCanUse) {
  const backend::DeviceInfo& info = device().info();
  EXPECT_EQ(info.backend, GetParam());
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_FALSE(info.signature.empty());
  EXPECT_TRUE(std::ranges::is_sorted(info.spirv_capabilities));
  EXPECT_TRUE(has_capability("Shader"));
  EXPECT_GE(info.limits.memory_bytes, std::uint64_t{64} << 20);
  EXPECT_GE(info.limits.max_buffer_bytes, info.limits.max_storage_range);
  EXPECT_GE(info.limits.max_storage_buffers, 4);
  EXPECT_GE(info.limits.max_sets, 4);
  EXPECT_GE(info.limits.queues, 1);
  EXPECT_GE(info.limits.max_spirv_version, 0x0001'0300);
  EXPECT_EQ(info.limits.max_timestamps > 0, info.timestamp_period_ns > 0);
  EXPECT_EQ(must(suite().find_device(GetParam())), info);
}

TEST_P(Conformance, GroupCountsUpToTheLimit) {
  const PipelineHandle pipeline = compile(suite_program("visit", {{"LOCAL_SIZE", "local_size_x = 1"}}));
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t most = limits().max_groups[i];
    ASSERT_GE(most, 65'535);
    backend::Groups groups = {1, 1, 1};
    groups[i] = std::min(most, 70'000U);
    const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(groups[i]));
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, groups);
    run(list);
    const std::vector<std::uint32_t> result = words(buffer, groups[i]);
    for (std::uint32_t at = 0; at < groups[i]; ++at) {
      ASSERT_EQ(result[at], visit_mark(i == 0 ? at : 0, i == 1 ? at : 0, i == 2 ? at : 0));
    }
    if (most == ~std::uint32_t{0}) continue;
    groups[i] = most + 1;
    list.clear();
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, groups);
    EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument, {"groups", text(most), text(most + 1)}));
    EXPECT_TRUE(is_refused(device().record(list), ErrorCode::InvalidArgument, {"groups", text(most), text(most + 1)}));
  }
}

TEST_P(Conformance, WorkgroupsUpToTheLimit) {
  const program::Program program =
      suite_program("visit", {{"LOCAL_SIZE", "local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2"}});
  const auto values_of = [](std::array<std::uint32_t, 3> size) {
    return std::array{SpecOverride{.spec_id = 0, .bits = size[0]}, SpecOverride{.spec_id = 1, .bits = size[1]},
                      SpecOverride{.spec_id = 2, .bits = size[2]}};
  };
  const std::uint32_t invocations = limits().max_workgroup_invocations;
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t most = limits().max_workgroup[i];
    std::array<std::uint32_t, 3> size = {1, 1, 1};
    size[i] = std::min(most, invocations);
    const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(size[i]));
    CommandList list;
    list.dispatch(compile(program, values_of(size)), std::array{BufferRange{.buffer = buffer}}, {1, 1, 1});
    run(list);
    const std::vector<std::uint32_t> result = words(buffer, size[i]);
    for (std::uint32_t at = 0; at < size[i]; ++at) {
      ASSERT_EQ(result[at], visit_mark(i == 0 ? at : 0, i == 1 ? at : 0, i == 2 ? at : 0));
    }
    size[i] = most + 1;
    EXPECT_TRUE(is_refused(device().compile(program, {.values = values_of(size)}), ErrorCode::Unsupported,
                           {"workgroup", text(most), text(most + 1)}));
  }
  // Each dimension within its limit, and all together beyond theirs.
  std::array<std::uint32_t, 3> size = {1, 1, 1};
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    while (product <= invocations && size[i] * 2 <= limits().max_workgroup[i]) {
      size[i] *= 2;
      product *= 2;
    }
  }
  if (product <= invocations) return;
  EXPECT_TRUE(is_refused(device().compile(program, {.values = values_of(size)}), ErrorCode::Unsupported,
                         {"invocations", text(product), text(invocations)}));
}

TEST_P(Conformance, SharedMemoryUpToTheLimit) {
  const std::uint32_t most = limits().max_shared_bytes;
  const PipelineHandle pipeline = compile(suite_program("fill_shared", {{"WORDS", text(most / 4)}}));
  const BufferHandle buffer = allocate(256);
  const std::vector<std::uint32_t> params = {12'345, most / 256};
  CommandList list;
  list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(params));
  run(list);
  const std::vector<std::uint32_t> result = words(buffer, 64);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(result[i], ((i + 1) * (most / 256) - 1) * 12'345);
  const std::uint32_t beyond = most / 4 + 1;
  EXPECT_TRUE(is_refused(device().compile(suite_program("fill_shared", {{"WORDS", text(beyond)}})),
                         ErrorCode::Unsupported, {"shared", text(std::uint64_t{4} * beyond), text(most)}));
}

TEST_P(Conformance, StorageBuffersUpToTheLimit) {
  const std::uint32_t most = std::min(limits().max_storage_buffers, limits().max_buffers);
  if (most > 4'096) GTEST_SKIP() << "the limit is " << most;
  const auto run_on = [&](const program::Program& program) {
    std::vector<BufferRange> ranges;
    for (std::uint32_t i = 0; i < most; ++i) {
      ranges.push_back({.buffer = allocate_with(std::vector<std::uint32_t>{1'000 * i})});
    }
    CommandList list;
    list.dispatch(compile(program), ranges, {1, 1, 1});
    run(list);
    return ranges;
  };
  // An array of them.
  std::vector<BufferRange> ranges = run_on(suite_program("storage_array", {{"COUNT", text(most)}}));
  EXPECT_EQ(words(ranges.front().buffer, 1).front(), 1);
  EXPECT_EQ(words(ranges[1].buffer, 1).front(), 1'000);
  EXPECT_EQ(words(ranges.back().buffer, 1).front(), 1'000 * (most - 1) + 2);
  EXPECT_TRUE(is_refused(device().compile(suite_program("storage_array", {{"COUNT", text(most + 1)}})),
                         ErrorCode::Unsupported, {"buffers", text(most + 1), text(most)}));
  if (most > 256) return;
  // One by one.
  ranges = run_on(separate_buffers_program(most, most));
  for (std::uint32_t i = 0; i < most; ++i) EXPECT_EQ(words(ranges[i].buffer, 1).front(), 1'000 * i + i + 1);
  EXPECT_TRUE(is_refused(device().compile(separate_buffers_program(most + 1, most + 1)), ErrorCode::Unsupported,
                         {"buffers", text(most + 1), text(most)}));
}

TEST_P(Conformance, UniformBuffersUpToTheLimit) {
  const std::uint32_t most = limits().max_uniform_buffers;
  if (most > 4'096 || most >= limits().max_buffers) GTEST_SKIP() << "the limit is " << most;
  std::vector<BufferRange> ranges = {{.buffer = allocate(4)}};
  for (std::uint32_t i = 0; i < most; ++i) {
    ranges.push_back({.buffer = allocate_with(std::vector<std::uint32_t>{7 + i, 0, 0, 0})});
  }
  CommandList list;
  list.dispatch(compile(suite_program("uniform_array", {{"COUNT", text(most)}})), ranges, {1, 1, 1});
  run(list);
  EXPECT_EQ(words(ranges.front().buffer, 1).front(), 7'000 + 7 + most - 1);
  EXPECT_TRUE(is_refused(device().compile(suite_program("uniform_array", {{"COUNT", text(most + 1)}})),
                         ErrorCode::Unsupported, {"uniform buffers", text(most + 1), text(most)}));
}

TEST_P(Conformance, BuffersOfBothKindsUpToTheLimit) {
  const std::uint32_t most = limits().max_buffers;
  const std::uint32_t storage = std::min(limits().max_storage_buffers, most);
  const std::uint32_t uniform = most + 1 - storage;
  if (uniform > limits().max_uniform_buffers || most > 4'096) {
    GTEST_SKIP() << "the limit of both together, " << most << ", cannot be passed alone";
  }
  const Defines defines = {{"STORAGE", text(storage)}, {"UNIFORM", text(uniform)}};
  EXPECT_TRUE(is_refused(device().compile(suite_program("both_arrays", defines)), ErrorCode::Unsupported,
                         {"buffers", text(most + 1), text(most)}));
}

TEST_P(Conformance, SetsUpToTheLimit) {
  const std::uint32_t most = limits().max_sets;
  const std::uint32_t count = std::min(most, limits().max_storage_buffers);
  std::vector<BufferRange> ranges;
  for (std::uint32_t i = 0; i < count; ++i) ranges.push_back({.buffer = allocate_with(std::vector{100 * i})});
  CommandList list;
  // One buffer in each set, then one in the last set alone.
  list.dispatch(compile(separate_buffers_program(count, 1)), ranges, {1, 1, 1});
  list.barrier();
  list.dispatch(compile(separate_buffers_program(1, 1, most - 1)), std::span{ranges}.first(1), {1, 1, 1});
  run(list);
  EXPECT_EQ(words(ranges[0].buffer, 1).front(), 2);
  for (std::uint32_t i = 1; i < count; ++i) EXPECT_EQ(words(ranges[i].buffer, 1).front(), 100 * i + i + 1);
  EXPECT_TRUE(is_refused(device().compile(separate_buffers_program(1, 1, most)), ErrorCode::Unsupported,
                         {"set", text(most), text(most - 1)}));
}

TEST_P(Conformance, BufferSizesUpToTheLimit) {
  const std::uint64_t most = limits().max_buffer_bytes;
  EXPECT_TRUE(is_refused(device().allocate({.size = 0}), ErrorCode::InvalidArgument, {"0"}));
  EXPECT_TRUE(
      is_refused(device().allocate({.size = most + 1}), ErrorCode::InvalidArgument, {text(most + 1), text(most)}));
  EXPECT_TRUE(is_refused(device().allocate({.size = ~std::uint64_t{0}}), ErrorCode::InvalidArgument,
                         {text(~std::uint64_t{0}), text(most)}));
  const std::uint64_t all = limits().memory_bytes;
  if (all < most) {
    EXPECT_TRUE(is_refused(device().allocate({.size = all + 1}), ErrorCode::OutOfMemory, {text(all + 1), text(all)}));
  }
  EXPECT_EQ(device().usage(), DeviceUsage{});
}

TEST_P(Conformance, StorageRangesUpToTheLimit) {
  const std::uint64_t most = limits().max_storage_range;
  if (most >= limits().max_buffer_bytes || most > (std::uint64_t{1} << 30)) GTEST_SKIP() << "the limit is " << most;
  const BufferHandle buffer = allocate(most + 4);
  const PipelineHandle pipeline = compile("ends");
  std::vector<std::uint32_t> edge = {1, 1, 1};
  must(device().write(buffer, most - 8, bytes_of(edge)));
  CommandList list;
  list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer, .size = most}}, {1, 1, 1});
  run(list);
  EXPECT_EQ(words(buffer, 1).front(), 7);
  must(device().read(buffer, most - 8, std::as_writable_bytes(std::span{edge})));
  EXPECT_THAT(edge, testing::ElementsAre(1, 9, 1));
  for (const std::uint64_t size : {most + 1, backend::kWholeBuffer}) {
    list.clear();
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer, .size = size}}, {1, 1, 1});
    EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument,
                           {"binding 0", text(size == most + 1 ? size : most + 4), text(most)}));
  }
}

TEST_P(Conformance, UniformRangesUpToTheLimit) {
  const std::uint64_t most = limits().max_uniform_range;
  if (most >= limits().max_buffer_bytes || most > (std::uint64_t{1} << 30)) GTEST_SKIP() << "the limit is " << most;
  const BufferHandle uniform = allocate(most + 1);
  const BufferHandle target = allocate(16);
  must(device().write(uniform, 0, bytes_of(std::vector<std::uint32_t>{4, 3, 2, 1})));
  const PipelineHandle pipeline = compile("uniform_words");
  const auto list_of = [&](std::uint64_t size) {
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = uniform, .size = size}, BufferRange{.buffer = target}},
                  {1, 1, 1});
    return list;
  };
  run(list_of(most));
  EXPECT_THAT(words(target, 4), testing::ElementsAre(4, 3, 2, 1));
  EXPECT_TRUE(is_refused(device().submit(list_of(most + 1)), ErrorCode::InvalidArgument,
                         {"binding 0", text(most + 1), text(most)}));
}

TEST_P(Conformance, ACapabilityThatTheDeviceLacksIsRefusedByName) {
  // Something that no device of today has.
  const auto program = program::Program::from_glsl(R"(#version 460
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { float value; };
void main() { atomicMin(value, 1.0); })");
  ASSERT_TRUE(program) << to_string(program.error());
  if (has_capability("AtomicFloat32MinMaxEXT")) GTEST_SKIP() << "the device has it";
  EXPECT_TRUE(is_refused(device().compile(*program), ErrorCode::Unsupported, {"AtomicFloat32MinMaxEXT"}));
}

}  // namespace
}  // namespace vyre::tests
