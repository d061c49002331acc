#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/forms/form.hpp>

#include <backends/fake/fake_backend.hpp>
#include "tests/conformance/conformance.hpp"

// Many dispatches as one launch: every one of them gets what it would get alone, whatever stands beside it.

namespace vyre::tests {
namespace {

using backend::Groups;
using program::FormKind;
using testing::ContainerEq;
using testing::Each;

constexpr FormKind kOtherForms[] = {FormKind::Pointer, FormKind::Merged, FormKind::Persistent, FormKind::Chain};
constexpr FormKind kLaunchForms[] = {FormKind::Merged, FormKind::Persistent, FormKind::Chain};

std::uint64_t count_of(const Groups& groups) { return std::uint64_t{groups[0]} * groups[1] * groups[2]; }

std::vector<Groups> repeated(const Groups& groups, std::size_t count) { return std::vector<Groups>(count, groups); }

std::vector<Groups> operator+(std::vector<Groups> a, const std::vector<Groups>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct ItemSet {
  std::string_view name = {};
  std::vector<Groups> groups = {};
};

std::vector<ItemSet> item_sets() {
  const std::vector<Groups> different = {{3, 1, 1}, {1, 2, 1}, {2, 2, 2}, {7, 1, 1}, {1, 1, 5}};
  return {
      {.name = "a single one", .groups = {{5, 1, 1}}},
      {.name = "a single one in three dimensions", .groups = {{2, 3, 4}}},
      {.name = "a single one of no groups", .groups = {{0, 1, 1}}},
      {.name = "alike", .groups = repeated({3, 2, 1}, 12)},
      {.name = "alike in three dimensions", .groups = repeated({2, 1, 3}, 12)},
      {.name = "two alike", .groups = repeated({4, 1, 1}, 2)},
      {.name = "different", .groups = different},
      {.name = "alike and none", .groups = repeated({3, 2, 1}, 5) + repeated({0, 0, 0}, 3) + repeated({3, 2, 1}, 5)},
      {.name = "different and none",
       .groups = repeated({1, 0, 1}, 1) + different + repeated({1, 1, 0}, 2) + different + repeated({0, 1, 1}, 1)},
      {.name = "none at all", .groups = repeated({0, 4, 1}, 9)},
      {.name = "different, alike, different", .groups = different + repeated({2, 2, 1}, 20) + different},
      {.name = "alike, then others alike", .groups = repeated({2, 2, 1}, 9) + repeated({1, 5, 1}, 9)},
      {.name = "a large one amid small ones", .groups = different + repeated({5'000, 1, 1}, 1) + different},
      {.name = "a large one in three dimensions", .groups = different + repeated({50, 50, 2}, 1)},
  };
}

TEST_P(Conformance, ALaunchReachesEveryElementOfEveryItemOnce) {
  const program::Program program = suite_program("visit", {{"LOCAL_SIZE", "local_size_x = 4, local_size_y = 2"}});
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = compile(program, form);
    for (const ItemSet& set : item_sets()) {
      SCOPED_TRACE(set.name);
      std::vector<BufferHandle> buffers;
      CommandList list;
      for (const Groups& groups : set.groups) {
        // One more than is reached, which must stay.
        const std::vector<std::uint32_t> zeros(count_of(groups) * 8 + 1);
        buffers.push_back(must(device().allocate({.size = zeros.size() * 4})));
        must(device().write(buffers.back(), 0, bytes_of(zeros)));
        list.dispatch(pipeline, std::array{BufferRange{.buffer = buffers.back()}}, groups, {});
      }
      const auto fits = [&](const Groups& groups) { return device().fits_form(pipeline, groups); };
      if (program::takes_turns(form) && !std::ranges::all_of(set.groups, fits)) {
        EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument, {std::string{to_string(form)}}));
        for (const BufferHandle each : buffers) must(device().free(each));
        continue;
      }
      run(list);
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Groups& groups = set.groups[i];
        std::vector<std::uint32_t> expected;
        for (std::uint32_t z = 0; z < groups[2]; ++z) {
          for (std::uint32_t y = 0; y < groups[1] * 2; ++y) {
            for (std::uint32_t x = 0; x < groups[0] * 4; ++x) expected.push_back(visit_mark(x, y, z));
          }
        }
        expected.resize(count_of(groups) * 8 + 1);
        EXPECT_TRUE(words(buffers[i], expected.size()) == expected) << "item " << i;
        must(device().free(buffers[i]));
      }
    }
  }
}

TEST_P(Conformance, ItemsHaveBuffersAndParametersOfTheirOwn) {
  constexpr std::uint32_t kItems = 40;
  for (const FormKind form : kOtherForms) {
    for (const bool alike : {true, false}) {
      SCOPED_TRACE(fmt::format("{}, {}", to_string(form), alike ? "alike" : "different"));
      const PipelineHandle pipeline = compile("step_across", form);
      std::vector<std::pair<BufferHandle, BufferHandle>> buffers;
      CommandList list;
      const auto groups_of = [&](std::uint32_t i) { return alike ? 2U : i % 4; };
      for (std::uint32_t i = 0; i < kItems; ++i) {
        const std::vector<std::uint32_t> source(256 - i, i);
        buffers.emplace_back(allocate_with(source), allocate_with(std::vector<std::uint32_t>(250, 7)));
        const std::array ranges = {BufferRange{.buffer = buffers.back().first},
                                   BufferRange{.buffer = buffers.back().second}};
        list.dispatch(pipeline, ranges, {groups_of(i), 1, 1}, bytes_of(std::vector<std::uint32_t>{i * i}));
      }
      run(list);
      for (std::uint32_t i = 0; i < kItems; ++i) {
        std::vector<std::uint32_t> expected(250, 7);
        std::fill_n(expected.begin(), std::min({groups_of(i) * 64, 256 - i, 250U}), stepped(i, i * i));
        EXPECT_THAT(words(buffers[i].second, 250), ContainerEq(expected)) << "item " << i;
      }
    }
  }
}

TEST_P(Conformance, LaunchesOfSeveralPipelinesStandBesideOneAnother) {
  const PipelineHandle written = compile("step");
  CommandList list;
  std::vector<std::pair<BufferHandle, std::uint32_t>> expected;
  std::vector<PipelineHandle> pipelines = {written};
  for (const FormKind form : kOtherForms) pipelines.push_back(compile("step", form));
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (const PipelineHandle pipeline : pipelines) {
      for (std::uint32_t i = 0; i < round * 5; ++i) {
        const std::uint32_t addend = static_cast<std::uint32_t>(expected.size());
        expected.emplace_back(allocate_with(std::vector<std::uint32_t>(64, 3)), stepped(3, addend));
        list.dispatch(pipeline, std::array{BufferRange{.buffer = expected.back().first}}, {1, 1, 1},
                      bytes_of(std::vector{addend}));
      }
    }
    list.fill({.buffer = expected.emplace_back(allocate(256), 5 + round).first, .offset = 0, .size = 256}, 5 + round);
  }
  run(list);
  for (const auto& [buffer, value] : expected) EXPECT_THAT(words(buffer, 64), Each(value));
}

TEST_P(Conformance, BarriersOrderLaunches) {
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = compile("step", form);
    std::array<BufferHandle, 10> buffers = {};
    for (BufferHandle& buffer : buffers) buffer = allocate_with(std::vector<std::uint32_t>(64, 1));
    CommandList list;
    std::uint32_t expected = 1;
    for (std::uint32_t wave = 0; wave < 20; ++wave) {
      if (wave > 0) list.barrier();
      for (const BufferHandle buffer : buffers) {
        list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(std::vector{wave}));
      }
      expected = stepped(expected, wave);
    }
    run(list);
    for (const BufferHandle buffer : buffers) EXPECT_THAT(words(buffer, 64), Each(expected));
  }
}

TEST_P(Conformance, ALaunchHasMoreItemsThanAGridHolds) {
  constexpr std::uint32_t kItems = 200'000;
  ASSERT_GT(kItems, limits().max_groups[2]);
  const std::uint64_t stride = std::max<std::uint64_t>(limits().storage_alignment, 8);
  const BufferHandle buffer = allocate(kItems * stride);
  for (const FormKind form : kLaunchForms) {
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = compile("step", form);
    must(device().write(buffer, 0, bytes_of(std::vector<std::uint32_t>(kItems * stride / 4, 2))));
    CommandList list;
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const std::array ranges = {BufferRange{.buffer = buffer, .offset = i * stride, .size = 4}};
      list.dispatch(pipeline, ranges, {1, 1, 1}, std::as_bytes(std::span{&i, 1}));
    }
    run(list);
    const std::vector<std::uint32_t> after = words(buffer, kItems * stride / 4);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < after.size(); ++i) {
      const bool is_item = i * 4 % stride == 0;
      const std::uint32_t expected = is_item ? stepped(2, static_cast<std::uint32_t>(i * 4 / stride)) : 2;
      wrong += after[i] == expected ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U) << "of " << after.size() << " words";
  }
}

// A device may end an invocation after so many iterations of all its loops together, and says nothing then. Forms run
// many workgroups in one invocation, or many invocations in one, and must stay below.
TEST_P(Conformance, LongLoopsRunToTheirEndInEveryForm) {
  constexpr std::uint32_t kItems = 12;
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = compile("long_loop", form);
    for (const std::uint32_t groups : {1U, 3U}) {
      SCOPED_TRACE(groups);
      std::vector<BufferHandle> buffers;
      CommandList list;
      for (std::uint32_t i = 0; i < kItems; ++i) {
        buffers.push_back(allocate(groups * 256));
        list.dispatch(pipeline, std::array{BufferRange{.buffer = buffers.back()}}, {groups, 1, 1},
                      bytes_of(std::vector{i * 1'000}));
      }
      run(list);
      for (std::uint32_t i = 0; i < kItems; ++i) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t j = 0; j < groups * 64; ++j) expected.push_back(looped(i * 1'000 + j));
        EXPECT_TRUE(words(buffers[i], expected.size()) == expected) << "item " << i;
      }
    }
  }
}

TEST_P(Conformance, APersistentItemThatIsTooLongIsRefused) {
  const backend::FormSupport& forms = device().info().forms;
  for (const std::string_view name : {"long_loop", "step"}) {
    SCOPED_TRACE(name);
    const PipelineHandle pipeline = compile(name, FormKind::Persistent);
    const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64));
    std::size_t refused = 0;
    for (const std::uint32_t groups : {0U, 1U, 5U, 6U, 7U, 1'000U, limits().max_groups[0]}) {
      SCOPED_TRACE(groups);
      CommandList list;
      // Beside one that is short enough, which does not run either.
      for (const std::uint32_t each : {std::min(groups, 1U), groups}) {
        list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {each, 1, 1},
                      bytes_of(std::vector<std::uint32_t>{1}));
      }
      if (device().fits_form(pipeline, {groups, 1, 1})) {
        // What is as long as that takes a while on a fake device, which does run it.
        if (groups < 1'000) run(list);
        continue;
      }
      ++refused;
      must(device().write(buffer, 0, bytes_of(std::vector<std::uint32_t>(64, 9))));
      const bool is_long = groups > forms.turn_groups;
      const std::uint64_t most = is_long ? forms.turn_groups : forms.max_iterations;
      EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument,
                             {"persistent", std::string{name}, is_long ? "workgroups" : "iterations", text(most)}));
      EXPECT_TRUE(is_refused(device().record(list), ErrorCode::InvalidArgument, {text(most)}));
      EXPECT_THAT(words(buffer, 64), Each(9U));
    }
    EXPECT_GT(refused, 0U);
  }
}

TEST_P(Conformance, ParametersThatMakeAnItemTooLongAreRefused) {
  const bool is_limited = device().info().forms.max_iterations != 0;
  const BufferHandle buffer = allocate(64);
  for (const FormKind form : {FormKind::Persistent, FormKind::Chain}) {
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = compile("spin", form);
    const auto list_of = [&](std::uint32_t iterations) {
      CommandList list;
      list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1},
                    bytes_of(std::vector<std::uint32_t>{iterations, 1}));
      return list;
    };
    constexpr std::uint32_t kFew = 100;
    constexpr std::uint32_t kMany = 1'000'000'000;
    const std::vector<std::uint32_t> many = {kMany, 1};
    EXPECT_TRUE(device().fits_form(pipeline, {1, 1, 1}));
    EXPECT_EQ(device().fits_form(pipeline, {.params = bytes_of(many), .groups = {1, 1, 1}}), !is_limited);
    EXPECT_EQ(device().depends_on_params(pipeline), is_limited);
    run(list_of(kFew));
    if (!is_limited) continue;
    EXPECT_TRUE(is_refused(device().submit(list_of(kMany)), ErrorCode::InvalidArgument,
                           {std::string{to_string(form)}, "spin", "iterations"}));
    const auto recording = must(device().record(list_of(kFew), {.updatable = true}));
    EXPECT_TRUE(is_refused(device().replay(recording, list_of(kMany)), ErrorCode::InvalidArgument, {"iterations"}));
    must(device().wait(must(device().replay(recording, list_of(2 * kFew)))));
    must(device().free(recording));
  }
}

TEST_P(Conformance, AMergedLaunchWhoseMapIsTooLargeIsRefused) {
  // Items that reach into the third dimension are mapped workgroup by workgroup.
  const PipelineHandle pipeline = compile("step", FormKind::Merged);
  const Groups groups = {limits().max_groups[0], limits().max_groups[1], 16};
  CommandList list;
  list.dispatch(pipeline, std::array{BufferRange{.buffer = allocate(4)}}, groups, bytes_of(std::vector{1U}));
  EXPECT_TRUE(
      is_refused(device().submit(list), ErrorCode::OutOfMemory, {"table", "bytes", text(limits().max_buffer_bytes)}));
  EXPECT_TRUE(is_refused(device().record(list, {.updatable = true}), ErrorCode::OutOfMemory, {"table"}));
}

TEST_P(Conformance, MoreBuffersThanCanBeBoundAreReachedThroughATable) {
  const std::uint32_t count = std::max(100U, limits().max_storage_buffers + 10);
  const program::Program program = separate_buffers_program(count, count);
  EXPECT_TRUE(is_refused(device().compile(program), ErrorCode::Unsupported,
                         {"storage buffers", text(count), text(limits().max_storage_buffers)}));
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = compile(program, form);
    CommandList list;
    std::vector<BufferRange> ranges;
    for (std::uint32_t item = 0; item < 3; ++item) {
      for (std::uint32_t i = 0; i < count; ++i) {
        ranges.push_back({.buffer = allocate_with(std::vector<std::uint32_t>{1'000 * item})});
      }
      list.dispatch(pipeline, std::span{ranges}.last(count), {1, 1, 1}, {});
    }
    run(list);
    std::vector<std::uint32_t> actual;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < ranges.size(); ++i) {
      actual.push_back(words(ranges[i].buffer, 1)[0]);
      expected.push_back(1'000 * (i / count) + i % count + 1);
    }
    EXPECT_THAT(actual, ContainerEq(expected));
  }
}

TEST_P(Conformance, FormsThatAreToldAreThere) {
  const backend::FormSupport& forms = device().info().forms;
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    const auto made = device().compile(suite_program("step"), {.form = form, .warm = true});
    EXPECT_EQ(made.has_value(), forms.has(form));
    if (made) must(device().free(*made));
  }
  EXPECT_EQ(forms.bindless != backend::Bindless::Unsupported, forms.pointer_form);
}

std::unique_ptr<Device> open_fake(backends::fake::FakeOptions options) {
  options.kernels = suite_kernels();
  const auto backend = backends::fake::make_fake_backend(std::move(options));
  return must(Device::open(*backend, must(backend->devices()).front()));
}

TEST(FakeForms, ADeviceWithoutThemRefusesThemByName) {
  const std::unique_ptr<Device> device = open_fake({.has_forms = false});
  EXPECT_EQ(device->info().forms, backend::FormSupport{});
  for (const FormKind form : kOtherForms) {
    EXPECT_TRUE(is_refused(device->compile(suite_program("step"), {.form = form}), ErrorCode::Unsupported,
                           {"does not run", std::string{to_string(form)}}));
  }
  EXPECT_TRUE(device->compile(suite_program("step")));
}

// Nothing counts iterations here, but a device may end what takes seconds.
TEST(FakeForms, APersistentWorkgroupRunsNoMoreThanItMay) {
  const std::unique_ptr<Device> device = open_fake({});
  const std::uint32_t most = device->info().forms.turn_groups;
  const PipelineHandle pipeline = must(device->compile(suite_program("indices"), {.form = FormKind::Persistent}));
  const BufferHandle buffer = must(device->allocate({.size = 4}));
  const auto submit = [&](std::uint32_t groups) {
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {groups, 1, 1}, {});
    return device->submit(list);
  };
  EXPECT_TRUE(device->fits_form(pipeline, {most, 1, 1}));
  EXPECT_TRUE(submit(most));
  EXPECT_FALSE(device->fits_form(pipeline, {most + 1, 1, 1}));
  EXPECT_TRUE(is_refused(submit(most + 1), ErrorCode::InvalidArgument, {text(most + 1), text(most)}));
}

TEST(FakeForms, AMergedDispatchOfManyWorkgroupsMustFitAGrid) {
  const std::unique_ptr<Device> device = open_fake({});
  const PipelineHandle pipeline = must(device->compile(suite_program("indices"), {.form = FormKind::Merged}));
  EXPECT_TRUE(device->fits_form(pipeline, {60'000, 60'000, 1}));
  EXPECT_TRUE(device->fits_form(pipeline, {16, 16, 16}));
  EXPECT_FALSE(device->fits_form(pipeline, {64, 64, 128}));
}

TEST(FakeForms, TheLongestPersistentItemIsTheLimitItself) {
  const std::unique_ptr<Device> device = open_fake({.max_iterations = 1'000});
  const PipelineHandle pipeline = must(device->compile(suite_program("indices"), {.form = FormKind::Persistent}));
  const BufferHandle buffer = must(device->allocate({.size = 4}));
  const auto submit = [&](std::uint32_t groups, std::uint32_t items) {
    CommandList list;
    for (std::uint32_t i = 0; i < items; ++i) {
      list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {groups, 1, 1}, {});
    }
    return device->submit(list);
  };
  // One iteration for each of its groups, one for the end of the loop.
  std::uint32_t longest = 0;
  while (device->fits_form(pipeline, {longest + 1, 1, 1})) ++longest;
  EXPECT_GE(longest, 900U);
  EXPECT_LT(longest, 1'000U);
  EXPECT_TRUE(submit(longest, 1));
  EXPECT_TRUE(submit(longest, 100));
  EXPECT_TRUE(is_refused(submit(longest + 1, 1), ErrorCode::InvalidArgument, {text(longest + 1), "1000"}));
  EXPECT_FALSE(device->fits_form(pipeline, {1'000, 1'000, 1'000}));
  EXPECT_FALSE(device->fits_form(PipelineHandle{}, {1, 1, 1}));
}

}  // namespace
}  // namespace vyre::tests
