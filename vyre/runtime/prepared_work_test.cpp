#include <vyre/runtime/prepared_work.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using testing::ElementsAre;

template <typename T>
std::string message(const Result<T>& result) {
  return result ? "" : result.error().message;
}

class PreparedWorkTest : public testing::Test {
 protected:
  CheckedDispatch add(const BufferView& from, const BufferView& to, std::uint32_t bias, std::string_view label = {}) {
    return rig_.dispatch(add_, {from, to}, {.params = params(bias), .label = label});
  }

  tests::StageRig rig_;
  std::uint32_t add_ = rig_.add(tests::add_program());
  BufferView a_ = rig_.buffer(64);
  BufferView b_ = rig_.buffer(64);
  BufferView c_ = rig_.buffer(64);
  BufferView d_ = rig_.buffer(64);
  PreparedWork work_{7};
};

TEST_F(PreparedWorkTest, KeepsACheckedDispatch) {
  const CheckedDispatch given = add(a_, b_, 5, "x");
  const std::uint64_t hash = given.hash;
  const Prepared name = work_.add(given);
  (void)add(c_, d_, 6);  // The check has other things in mind by now.
  const CheckedDispatch kept = work_.find(name).value()->checked();
  EXPECT_EQ(kept.program, add_);
  EXPECT_THAT(kept.buffers, ElementsAre(a_.index, b_.index));
  EXPECT_EQ(kept.params[0], std::byte{5});
  EXPECT_EQ(kept.hash, hash);
  EXPECT_EQ(kept.label, "x");
}

TEST_F(PreparedWorkTest, RefusesNamesThatItDidNotGive) {
  const Prepared name = work_.add(add(a_, b_, 5));
  EXPECT_EQ(message(work_.find(Prepared{.session = 8, .index = name.index})),
            "the prepared dispatch belongs to another session");
  EXPECT_EQ(message(work_.find(Prepared{.session = 7, .index = 9})),
            "prepared dispatch 9 is enqueued, the session made 1");
}

TEST_F(PreparedWorkTest, EndsWithABufferThatIsFreed) {
  const Prepared first = work_.add(add(a_, b_, 5));
  const Prepared second = work_.add(add(a_, d_, 5));
  EXPECT_TRUE(work_.needs_program(add_));
  work_.forget_buffer(b_.index);
  EXPECT_EQ(message(work_.find(first)), "the prepared dispatch names a buffer that was freed");
  EXPECT_TRUE(work_.find(second));
  EXPECT_TRUE(work_.needs_program(add_)) << "the second dispatch still does";
  work_.forget_buffer(a_.index);
  EXPECT_FALSE(work_.needs_program(add_));
}

TEST_F(PreparedWorkTest, ListsTheBuffersOfDispatchesOnce) {
  (void)work_.add(add(a_, b_, 5));
  (void)work_.add(add(b_, c_, 5));
  const std::array<std::uint32_t, 3> both = {0, 1, 0};
  EXPECT_THAT(work_.buffers_of(both), ElementsAre(a_.index, b_.index, c_.index));
}

}  // namespace
}  // namespace vyre::runtime
