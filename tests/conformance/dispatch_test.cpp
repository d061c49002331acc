#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "tests/conformance/conformance.hpp"
#include "tests/kernels/data.hpp"

// Kernels: parameters, specialisation, groups, shared memory, atomics, order, views.

namespace vyre::tests {
namespace {

TEST_P(Conformance, ADispatchReachesEveryElementOfAnyCount) {
  const PipelineHandle pipeline = compile("indices");
  for (const std::uint32_t count : {1U, 63U, 64U, 65U, 4'097U, 100'003U}) {
    SCOPED_TRACE(count);
    const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(count, 0xffff'ffffU));
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {(count + 63) / 64, 1, 1});
    run(list);
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_TRUE(words(buffer, count) == expected);
  }
}

TEST_P(Conformance, ADispatchOfNoGroupsDoesNothing) {
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 9));
  CommandList list;
  for (const backend::Groups groups : {backend::Groups{0, 1, 1}, backend::Groups{1, 0, 1}, backend::Groups{1, 1, 0}}) {
    list.dispatch(compile("indices"), std::array{BufferRange{.buffer = buffer}}, groups);
  }
  run(list);
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, 9));
}

TEST_P(Conformance, GroupsOfOneTwoAndThreeDimensions) {
  struct Shape {
    std::string local_size = {};
    std::array<std::uint32_t, 3> local = {1, 1, 1};
    backend::Groups groups = {1, 1, 1};
  };
  const std::array shapes = {
      Shape{.local_size = "local_size_x = 64", .local = {64, 1, 1}, .groups = {9, 1, 1}},
      Shape{.local_size = "local_size_x = 8, local_size_y = 5", .local = {8, 5, 1}, .groups = {3, 7, 1}},
      Shape{.local_size = "local_size_x = 3, local_size_y = 2, local_size_z = 5",
            .local = {3, 2, 5},
            .groups = {2, 5, 3}},
      Shape{.local_size = "local_size_x = 1", .groups = {1, 1, 70}},
      Shape{.local_size = "local_size_y = 6", .local = {1, 6, 1}, .groups = {1, 11, 2}},
  };
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.local_size);
    std::array<std::uint32_t, 3> size = {};
    for (std::size_t i = 0; i < 3; ++i) size[i] = shape.local[i] * shape.groups[i];
    std::vector<std::uint32_t> expected;
    for (std::uint32_t z = 0; z < size[2]; ++z) {
      for (std::uint32_t y = 0; y < size[1]; ++y) {
        for (std::uint32_t x = 0; x < size[0]; ++x) expected.push_back(visit_mark(x, y, z));
      }
    }
    const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(expected.size()));
    const PipelineHandle pipeline = compile(suite_program("visit", {{"LOCAL_SIZE", shape.local_size}}));
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, shape.groups);
    run(list);
    EXPECT_TRUE(words(buffer, expected.size()) == expected);
  }
}

TEST_P(Conformance, PushConstantsOfEverySizeArrive) {
  const std::uint32_t most = limits().max_push_bytes;
  ASSERT_GE(most, 128);
  for (std::uint32_t size = 4; size <= std::min(most, 512U); size += 4) {
    SCOPED_TRACE(size);
    const PipelineHandle pipeline = compile(suite_program("push_words", {{"WORDS", text(size / 4)}}));
    const std::vector<std::uint32_t> first = kernels::words(size / 4, size);
    const std::vector<std::uint32_t> second = kernels::words(size / 4, size + 1);
    const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(512));
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer, .size = 1024}}, {1, 1, 1}, bytes_of(first));
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer, .offset = 1024}}, {1, 1, 1}, bytes_of(second));
    run(list);
    std::vector<std::uint32_t> expected(512);
    std::ranges::copy(first, expected.begin());
    std::ranges::copy(second, expected.begin() + 256);
    EXPECT_TRUE(words(buffer, 512) == expected);
  }
  const auto beyond = device().compile(suite_program("push_words", {{"WORDS", text(most / 4 + 1)}}));
  EXPECT_TRUE(is_refused(beyond, ErrorCode::Unsupported, {"push constants", text(most + 4), text(most)}));
}

TEST_P(Conformance, SpecialisationConstantsOfEveryType) {
  for (const SpecType& type : spec_types()) {
    SCOPED_TRACE(type.type);
    const program::Program program = spec_program(type);
    const std::array values = {SpecOverride{.spec_id = 3, .bits = type.bits}};
    if (!type.capability.empty() && !has_capability(type.capability)) {
      EXPECT_TRUE(is_refused(device().compile(program), ErrorCode::Unsupported, {std::string{type.capability}}));
      continue;
    }
    const std::uint64_t second = std::max(16U, limits().storage_alignment);
    const BufferHandle buffer = allocate(second + 8);
    CommandList list;
    list.dispatch(compile(program), std::array{BufferRange{.buffer = buffer, .size = 8}}, {1, 1, 1});
    list.dispatch(compile(program, values), std::array{BufferRange{.buffer = buffer, .offset = second}}, {1, 1, 1});
    run(list);
    const std::vector<std::uint64_t> result = contents<std::uint64_t>(buffer, second / 8 + 1);
    EXPECT_EQ(result[0], type.default_words);
    EXPECT_EQ(result.back(), type.words);
  }
  const program::Program program = suite_program("spec_place");
  const std::array absent = {SpecOverride{.spec_id = 77, .bits = 1}};
  EXPECT_TRUE(is_refused(device().compile(program, {.values = absent}), ErrorCode::InvalidArgument, {"77"}));
  const std::array beyond = {SpecOverride{.spec_id = 0, .bits = 0x1'0000'0000}};
  EXPECT_TRUE(is_refused(device().compile(program, {.values = beyond}), ErrorCode::InvalidArgument));
}

TEST_P(Conformance, ABindingThatIsNotNeededMayBeLeftOut) {
  const program::Program program = suite_program("unneeded");
  const BufferHandle values = allocate_with(std::vector<std::uint32_t>(128, 3));
  std::uint32_t expected = 3;
  for (const program::FormKind form : program::kAllForms) {
    if (!device().info().forms.has(form)) continue;
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = must(device().compile(program, {.form = form}));
    const std::array ranges = {backend::kNoRange, backend::kNoRange, BufferRange{.buffer = values}};
    CommandList list;
    list.dispatch(pipeline, ranges, {2, 1, 1});
    list.barrier();
    list.dispatch(pipeline, ranges, {2, 1, 1});
    run(list);
    EXPECT_EQ(words(values, 128), std::vector<std::uint32_t>(128, expected += 2));
    must(device().free(pipeline));
  }
  const std::array adds = {SpecOverride{.spec_id = 0, .bits = 1}};
  CommandList list;
  list.dispatch(compile(program, adds), std::array{backend::kNoRange, backend::kNoRange, BufferRange{.buffer = values}},
                {2, 1, 1});
  EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument, {"binding 0 'More'"}));
}

TEST_P(Conformance, AHundredPipelinesKeepTheirValues) {
  const program::Program program = suite_program("spec_place");
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(100));
  CommandList list;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::array values = {SpecOverride{.spec_id = 0, .bits = i}};
    list.dispatch(compile(program, values), std::array{BufferRange{.buffer = buffer}}, {1, 1, 1});
  }
  EXPECT_EQ(device().usage().pipelines, 100);
  run(list);
  const std::vector<std::uint32_t> result = words(buffer, 100);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(result[i], i + 1);
}

TEST_P(Conformance, WarmPipelinesRunAsOthers) {
  const PipelineHandle pipeline = must(device().compile(suite_program("step"), {.warm = true}));
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 2));
  const std::vector<std::uint32_t> params = {1};
  CommandList list;
  list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(params));
  run(list);
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, stepped(2, 1)));
  must(device().free(pipeline));
}

TEST_P(Conformance, SharedMemoryIsSeenAcrossBarriers) {
  constexpr std::size_t kGroups = 40;
  const std::vector<std::uint32_t> before = kernels::words(kGroups * 64, 5);
  const BufferHandle buffer = allocate_with(before);
  CommandList list;
  list.dispatch(compile("through_shared"), std::array{BufferRange{.buffer = buffer}}, {kGroups, 1, 1});
  run(list);
  std::vector<std::uint32_t> expected(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t first = i / 64 * 64;
    expected[i] = before[first + (63 - (i % 64 ^ 1))] * 2 + before[first + 63 - i % 64];
  }
  EXPECT_TRUE(words(buffer, before.size()) == expected);
}

TEST_P(Conformance, AtomicsLoseNothing) {
  constexpr std::uint32_t kCount = 64 * 500;
  const BufferHandle counters = allocate_with(std::vector<std::uint32_t>{0, ~0U, 0, ~0U, 0, 0, 0, 0});
  const BufferHandle order = allocate_with(std::vector<std::uint32_t>(kCount, ~0U));
  CommandList list;
  list.dispatch(compile("atomics"), std::array{BufferRange{.buffer = counters}, BufferRange{.buffer = order}},
                {kCount / 64, 1, 1});
  run(list);
  std::uint32_t sum = 0;
  std::uint32_t mixed = 0;
  for (std::uint32_t id = 0; id < kCount; ++id) {
    sum += id;
    mixed ^= id * 0x9e37'79b9U;
  }
  const std::vector<std::uint32_t> result = words(counters, 8);
  EXPECT_EQ(result[0], sum);
  EXPECT_EQ(result[1], 0);
  EXPECT_EQ(result[2], kCount - 1);
  EXPECT_EQ(result[3], 0x8000'0000U);
  EXPECT_EQ(result[4], 0x7fff'ffffU);
  EXPECT_EQ(result[5], mixed);
  EXPECT_EQ(result[6] & 0x8000'0000U, 0x8000'0000U);
  EXPECT_LT(result[6] & 0x7fff'ffffU, kCount);
  EXPECT_EQ(result[7], kCount);
  std::vector<std::uint32_t> ids = words(order, kCount);
  std::ranges::sort(ids);
  for (std::uint32_t id = 0; id < kCount; ++id) ASSERT_EQ(ids[id], id);
}

TEST_P(Conformance, BarriersOrderEveryPairOfCommands) {
  constexpr std::size_t kCount = 5'000;
  constexpr std::uint32_t kGroups = (kCount + 63) / 64;
  const PipelineHandle step = compile("step");
  const PipelineHandle across = compile("step_across");
  std::vector<std::uint32_t> model = kernels::words(kCount, 11);
  const BufferHandle a = allocate_with(model);
  const BufferHandle b = allocate_with(std::vector<std::uint32_t>(kCount));
  const std::array only_a = {BufferRange{.buffer = a}};
  const std::array a_to_b = {BufferRange{.buffer = a}, BufferRange{.buffer = b}};
  const std::array b_to_a = {BufferRange{.buffer = b}, BufferRange{.buffer = a}};
  CommandList list;
  for (std::uint32_t i = 0; i < 30; ++i) {
    const std::vector<std::uint32_t> params = {i};
    // Dispatch, dispatch, copy, dispatch, fill, dispatch, copy: each reads or overwrites what the one before wrote.
    list.dispatch(step, only_a, {kGroups, 1, 1}, bytes_of(params));
    list.barrier();
    list.dispatch(across, a_to_b, {kGroups, 1, 1}, bytes_of(params));
    list.barrier();
    list.copy(b, 0, a, 4, (kCount - 1) * 4);
    list.barrier();
    list.dispatch(across, a_to_b, {kGroups, 1, 1}, bytes_of(params));
    list.barrier();
    list.fill({.buffer = a}, i);
    list.barrier();
    list.fill({.buffer = b, .offset = 8, .size = 16}, i * 7);
    list.barrier();
    list.dispatch(across, b_to_a, {kGroups, 1, 1}, bytes_of(params));
    list.barrier();
    const auto step_all = [i](std::vector<std::uint32_t>& values) {
      for (std::uint32_t& value : values) value = stepped(value, i);
    };
    step_all(model);
    std::vector<std::uint32_t> other = model;
    step_all(other);
    std::copy(other.begin(), other.end() - 1, model.begin() + 1);
    step_all(model);
    std::fill_n(model.begin() + 2, 4, i * 7);
    step_all(model);
  }
  run(list);
  EXPECT_TRUE(words(a, kCount) == model);
}

TEST_P(Conformance, IndependentDispatchesNeedNoBarrier) {
  constexpr std::uint32_t kParts = 100;
  constexpr std::uint64_t kPartBytes = 1024;
  const PipelineHandle pipeline = compile("step");
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(kParts * kPartBytes / 4, 5));
  CommandList list;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    const std::vector<std::uint32_t> params = {i};
    const BufferRange range{.buffer = buffer, .offset = i * kPartBytes, .size = kPartBytes};
    list.dispatch(pipeline, std::array{range}, {kPartBytes / 4 / 64, 1, 1}, bytes_of(params));
  }
  run(list);
  const std::vector<std::uint32_t> result = words(buffer, kParts * kPartBytes / 4);
  for (std::uint32_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], stepped(5, i / 256));
}

TEST_P(Conformance, ListsOfOneQueueRunInOrder) {
  const PipelineHandle pipeline = compile("step");
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(1'000, 1));
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::vector<std::uint32_t> params = {i};
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {16, 1, 1}, bytes_of(params));
    must(device().submit(list));
    expected = stepped(expected, i);
  }
  EXPECT_EQ(words(buffer, 1'000), std::vector<std::uint32_t>(1'000, expected));
}

TEST_P(Conformance, ViewsBeginAtEveryAlignedPlaceAndNowhereElse) {
  const std::uint32_t alignment = limits().storage_alignment;
  ASSERT_GE(alignment, 1);
  const PipelineHandle pipeline = compile("indices");
  const std::uint64_t bytes = std::uint64_t{alignment} * 64 + 256;
  for (std::uint64_t offset = 0; offset < 64 * std::uint64_t{alignment}; offset += alignment) {
    if (offset % 4 != 0) continue;
    SCOPED_TRACE(offset);
    std::vector<std::uint32_t> expected(bytes / 4, 0xffff'ffffU);
    const BufferHandle buffer = allocate_with(expected);
    CommandList list;
    const BufferRange range{.buffer = buffer, .offset = offset, .size = 36};
    list.dispatch(pipeline, std::array{range}, {1, 1, 1});
    run(list);
    std::iota(expected.begin() + static_cast<std::ptrdiff_t>(offset / 4),
              expected.begin() + static_cast<std::ptrdiff_t>(offset / 4 + 9), 0);
    ASSERT_TRUE(words(buffer, bytes / 4) == expected);
    must(device().free(buffer));
  }
  const BufferHandle buffer = allocate(bytes);
  for (std::uint64_t offset = 1; offset < alignment; ++offset) {
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer, .offset = offset}}, {1, 1, 1});
    EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument, {text(offset), text(alignment)}));
  }
}

TEST_P(Conformance, UniformViewsBeginAtEveryAlignedPlaceAndNowhereElse) {
  const std::uint32_t alignment = limits().uniform_alignment;
  const std::vector<std::uint32_t> params = kernels::words(16 * std::size_t{alignment} + 4, 8);
  const BufferHandle uniform = allocate_with(params);
  const PipelineHandle pipeline = compile("uniform_words");
  const BufferHandle target = allocate(16);
  const auto list_at = [&](std::uint64_t offset) {
    CommandList list;
    list.dispatch(
        pipeline,
        std::array{BufferRange{.buffer = uniform, .offset = offset, .size = 16}, BufferRange{.buffer = target}},
        {1, 1, 1});
    return list;
  };
  for (std::uint64_t offset = 0; offset < 64 * std::uint64_t{alignment}; offset += alignment) {
    if (offset % 4 != 0) continue;
    run(list_at(offset));
    const auto first = params.begin() + static_cast<std::ptrdiff_t>(offset / 4);
    ASSERT_EQ(words(target, 4), std::vector<std::uint32_t>(first, first + 4)) << offset;
  }
  for (std::uint64_t offset = 1; offset < alignment; ++offset) {
    EXPECT_TRUE(
        is_refused(device().submit(list_at(offset)), ErrorCode::InvalidArgument, {text(offset), text(alignment)}));
  }
}

TEST_P(Conformance, DispatchesThatCannotRunAreRefused) {
  const PipelineHandle pipeline = compile("uniform_words");
  const PipelineHandle step = compile("step");
  const BufferHandle uniform = allocate(16);
  const BufferHandle target = allocate_with(std::vector<std::uint32_t>(16, 1));
  const BufferHandle freed = allocate(64);
  must(device().free(freed));
  const PipelineHandle freed_pipeline = compile("step");
  must(device().free(freed_pipeline));
  const BufferRange in{.buffer = uniform};
  const BufferRange out{.buffer = target};
  const auto expect_wrong = [&](PipelineHandle which, std::vector<BufferRange> ranges, std::size_t param_words,
                                std::initializer_list<std::string> parts) {
    CommandList list;
    list.fill({.buffer = target}, 0);  // What is right before it must not run either.
    list.barrier();
    list.dispatch(which, ranges, {1, 1, 1}, bytes_of(std::vector<std::uint32_t>(param_words)));
    EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument, parts));
    EXPECT_TRUE(is_refused(device().record(list), ErrorCode::InvalidArgument, parts));
  };
  const auto part = [](BufferHandle buffer, std::uint64_t offset, std::uint64_t size) {
    return BufferRange{.buffer = buffer, .offset = offset, .size = size};
  };
  expect_wrong(pipeline, {}, 0, {"uniform_words", "2", "0"});
  expect_wrong(pipeline, {in}, 0, {"uniform_words", "2", "1"});
  expect_wrong(pipeline, {in, out, out}, 0, {"uniform_words", "2", "3"});
  expect_wrong(pipeline, {in, out}, 1, {"uniform_words", "0 bytes", "4"});
  expect_wrong(step, {out}, 0, {"step", "4 bytes", "0"});
  expect_wrong(step, {out}, 2, {"step", "4 bytes", "8"});
  expect_wrong(pipeline, {part(uniform, 0, 12), out}, 0, {"binding 0", "16", "12"});
  expect_wrong(pipeline, {in, part(target, 0, 15)}, 0, {"binding 1", "16", "15"});
  expect_wrong(pipeline, {in, part(target, 0, 0)}, 0, {"binding 1", "0 bytes"});
  expect_wrong(pipeline, {in, part(target, 0, 65)}, 0, {"binding 1", "65", "64"});
  const std::uint64_t past =
      (64 + limits().storage_alignment - 1) / limits().storage_alignment * std::uint64_t{limits().storage_alignment};
  expect_wrong(pipeline, {in, part(target, past, 16)}, 0, {"binding 1", text(past), "64"});
  expect_wrong(pipeline, {in, part(target, past, backend::kWholeBuffer)}, 0, {"binding 1", text(past), "64"});
  expect_wrong(pipeline, {in, part(target, 0, backend::kWholeBuffer - 1)}, 0, {"binding 1", "64"});
  expect_wrong(pipeline, {in, BufferRange{.buffer = freed}}, 0, {"binding 1", "freed"});
  expect_wrong(pipeline, {BufferRange{}, out}, 0, {"binding 0", "freed"});
  expect_wrong(freed_pipeline, {out}, 1, {"pipeline"});
  expect_wrong(PipelineHandle{}, {out}, 1, {"pipeline"});
  EXPECT_EQ(words(target, 16), std::vector<std::uint32_t>(16, 1));
}

}  // namespace
}  // namespace vyre::tests
