#include <vyre/runtime/dispatch_check.hpp>

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DispatchOptions with_bias(GroupCount groups = {}) { return {.groups = groups, .params = params(1U)}; }

class DispatchCheckTest : public testing::Test {
 protected:
  /// What is wrong with a dispatch of the program `add`; empty if nothing is.
  std::string refusal(std::initializer_list<Argument> arguments, const DispatchOptions& options = with_bias()) {
    const auto checked =
        rig_.check.check(rig_.programs[add_], add_, rig_.buffers, {arguments.begin(), arguments.size()}, options);
    return checked ? "" : to_string(checked.error());
  }

  tests::StageRig rig_;
  std::uint32_t add_ = rig_.add(tests::add_program());
  BufferView from_ = rig_.buffer(256);
  BufferView to_ = rig_.buffer(256);
};

TEST_F(DispatchCheckTest, GivesADispatchAsTheBatchTakesIt) {
  const CheckedDispatch dispatch = rig_.dispatch(
      add_, {from_, to_.bytes(64, 64)}, {.groups = {2, 3, 4}, .params = params(9U), .label = "x", .repeat = 5});
  EXPECT_EQ(dispatch.program, add_);
  ASSERT_EQ(dispatch.ranges.size(), 2);
  EXPECT_EQ(dispatch.ranges[1].buffer, rig_.buffers[to_.index].handle);
  EXPECT_EQ(dispatch.ranges[1].offset, 64);
  EXPECT_THAT(dispatch.buffers, ElementsAre(from_.index, to_.index));
  EXPECT_EQ(dispatch.groups, (backend::Groups{2, 3, 4}));
  EXPECT_THAT(dispatch.params, ElementsAre(std::byte{9}, std::byte{0}, std::byte{0}, std::byte{0}));
  EXPECT_EQ(dispatch.repeat, 5);
  EXPECT_EQ(dispatch.label, "x");
}

TEST_F(DispatchCheckTest, EqualDispatchesHaveEqualHashes) {
  const auto hash = [&](GroupCount groups, std::uint32_t bias) {
    return rig_.dispatch(add_, {from_, to_}, {.groups = groups, .params = params(bias)}).hash;
  };
  EXPECT_EQ(hash({1, 1, 1}, 3), hash({1, 1, 1}, 3));
  EXPECT_NE(hash({1, 1, 1}, 3), hash({1, 1, 1}, 4));
  EXPECT_NE(hash({1, 1, 1}, 3), hash({2, 1, 1}, 3));
}

TEST_F(DispatchCheckTest, TakesBuffersByName) {
  const CheckedDispatch dispatch = rig_.dispatch(add_, {{"to", to_}, {"from", from_}}, with_bias());
  EXPECT_THAT(dispatch.buffers, ElementsAre(from_.index, to_.index));
  EXPECT_THAT(refusal({{"to", to_}, from_}), HasSubstr("some buffers are given by name and some are not"));
  EXPECT_THAT(refusal({{"to", to_}, {"into", from_}}), HasSubstr("program 'add' has no binding 'into'"));
  EXPECT_THAT(refusal({{"to", to_}, {"to", from_}}), HasSubstr("binding 0 'from' is not given"));
}

TEST_F(DispatchCheckTest, LeavesOutWhatTheProgramDoesNotNeed) {
  CompiledProgram program = rig_.programs[add_];
  program.bindings.slots[0].rule.is_needed = false;
  program.bindings.slots[0].max_bytes = 0;
  program.bindings.are_all_needed = false;
  program.bindings.apart.clear();
  const auto check = [&](std::initializer_list<Argument> arguments) {
    return rig_.check.check(program, add_, rig_.buffers, {arguments.begin(), arguments.size()}, with_bias());
  };
  const std::uint64_t hash = check({{"to", to_}})->hash;
  for (const BufferView& given : {BufferView{}, from_, to_, from_.bytes(3, 1)}) {
    const auto dispatch = check({given, to_});
    ASSERT_TRUE(dispatch) << to_string(dispatch.error());
    EXPECT_EQ(dispatch->ranges[0], backend::kNoRange);
    EXPECT_THAT(dispatch->buffers, ElementsAre(BufferTable::kNoBuffer, to_.index));
    EXPECT_EQ(dispatch->hash, hash);
    EXPECT_TRUE(rig_.check.overlapping().empty());
  }
  EXPECT_FALSE(check({from_.bytes(200, 57), to_})) << "it must be a view of a buffer all the same";
  EXPECT_FALSE(check({{"to", to_}, {"to", to_}})) << "each name is given once";
}

TEST_F(DispatchCheckTest, RefusesMistakesByName) {
  EXPECT_THAT(refusal({from_}), HasSubstr("program 'add' uses 2 buffers"));
  EXPECT_THAT(refusal({from_, to_.bytes(8, 16)}), HasSubstr("binding 1 'to'"));
  EXPECT_THAT(refusal({from_, BufferView{}}), HasSubstr("while binding binding 1 'to'"));
  const std::uint32_t most = rig_.device.info().limits.max_groups[1];
  EXPECT_THAT(refusal({from_, to_}, with_bias({1, most + 1, 1})), HasSubstr(std::to_string(most)));
  EXPECT_THAT(refusal({from_, to_}, {.params = params(1.0F)}), HasSubstr("parameter 'bias' is a uint"));
  EXPECT_THAT(refusal({from_, to_}, {}), HasSubstr("program 'add' has 1 parameters, 0 are given"));
}

TEST_F(DispatchCheckTest, BuffersThatOverlapAreNoMistake) {
  EXPECT_EQ(refusal({from_, to_}), "");
  EXPECT_TRUE(rig_.check.overlapping().empty());
  EXPECT_EQ(refusal({from_.bytes(0, 128), from_.bytes(128, 128)}), "");
  EXPECT_TRUE(rig_.check.overlapping().empty());
  const CheckedDispatch dispatch = rig_.dispatch(add_, {from_.bytes(0, 128), from_.bytes(112, 128)}, with_bias());
  EXPECT_THAT(rig_.check.overlapping(), ElementsAre(true, true));
  // Another program stands for the variant here.
  const std::uint32_t variant = rig_.add(tests::scale_program());
  rig_.programs[variant].bindings.slots = rig_.programs[add_].bindings.slots;
  const auto as_variant = rig_.check.check_variant(rig_.programs[variant], variant, rig_.buffers, dispatch);
  ASSERT_TRUE(as_variant);
  EXPECT_EQ(as_variant->program, variant);
  EXPECT_THAT(as_variant->buffers, ElementsAre(from_.index, from_.index));
  EXPECT_NE(as_variant->hash, dispatch.hash) << "it runs in another pipeline";
}

TEST_F(DispatchCheckTest, ChecksManyDispatchesAtOnce) {
  const std::array<BufferView, 2> views = {from_, to_};
  std::vector<DispatchItem> items(3, {.buffers = views, .params = params(1U)});
  items[2].params = params(3U);
  ASSERT_TRUE(rig_.check.check_items(rig_.programs[add_], rig_.buffers, items));
  EXPECT_THAT(rig_.check.item_params(), testing::SizeIs(12));
  EXPECT_EQ(rig_.check.item_params()[8], std::byte{3});

  items[1].buffers = std::span{views}.first(1);
  const auto checked = rig_.check.check_items(rig_.programs[add_], rig_.buffers, items);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().context, ElementsAre("in item 1 of 3"));

  const std::array<BufferView, 2> same = {from_, from_};
  items[1].buffers = same;
  ASSERT_TRUE(rig_.check.check_items(rig_.programs[add_], rig_.buffers, items));
  EXPECT_THAT(rig_.check.overlapping(), ElementsAre(true, true));
  EXPECT_TRUE(rig_.check.check_items_variant(rig_.programs[add_], rig_.buffers, items));

  items[1] = {.buffers = views, .groups = {1, ~0U, 1}, .params = params(1U)};
  EXPECT_FALSE(rig_.check.check_items(rig_.programs[add_], rig_.buffers, items));
}

TEST_F(DispatchCheckTest, AVariantWithAStricterAlignmentMayRefuse) {
  // A variant has storage buffers where the program has uniform blocks.
  CompiledProgram variant = rig_.programs[add_];
  variant.bindings.slots[1].offset_mask = 63;
  variant.bindings.slots[1].rule.min_bytes = 4096;
  variant.bindings.slots[1].min_bytes = 4096;
  const CheckedDispatch dispatch = rig_.dispatch(add_, {from_, from_}, with_bias());
  const auto checked = rig_.check.check_variant(variant, add_, rig_.buffers, dispatch);
  ASSERT_FALSE(checked);
  EXPECT_THAT(to_string(checked.error()), HasSubstr("while binding it as a storage buffer, since buffers overlap"));
}

TEST_F(DispatchCheckTest, RangesOfACaptureMustStayApart) {
  const backend::BufferHandle from = rig_.buffers[from_.index].handle;
  const backend::BufferHandle to = rig_.buffers[to_.index].handle;
  const std::array<backend::BufferRange, 2> apart = {{{.buffer = from, .size = 64}, {.buffer = to, .size = 64}}};
  const std::array<backend::BufferRange, 2> same = {
      {{.buffer = to, .size = 64}, {.buffer = to, .offset = 32, .size = 64}}};
  EXPECT_TRUE(check_apart(rig_.programs[add_], apart));
  const auto refused = check_apart(rig_.programs[add_], same);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "binding 0 'from' and binding 1 'to' overlap, and one of them is written");
}

}  // namespace
}  // namespace vyre::runtime
