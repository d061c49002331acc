#include <vyre/base/error.hpp>

#include <string>
#include <unordered_set>

#include <gtest/gtest.h>

#include <vyre/base/check.hpp>
#include <vyre/base/id.hpp>

namespace vyre {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(ErrorCode::InvalidArgument, std::to_string(value) + " is odd, it must be even");
  return value / 2;
}

Result<void> must_be_even(int value) {
  VYRE_TRY(half(value));
  return {};
}

Result<int> quarter(int value) {
  VYRE_ASSIGN(const int once, half(value));
  VYRE_ASSIGN(const int twice, half(once));
  return twice;
}

TEST(Error, MacrosPassValuesOnAndFailuresUp) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().message, "3 is odd, it must be even");
  EXPECT_TRUE(must_be_even(2).has_value());
  EXPECT_EQ(must_be_even(3).error().code, ErrorCode::InvalidArgument);
}

TEST(Error, ReadsLikeAStackOfReasons) {
  const Error inner{.code = ErrorCode::InvalidArgument,
                    .message = "binding 3 'weights' needs at least 4096 bytes, the view has 1024"};
  const Result<void> outer =
      in_context(in_context(inner, "while binding program 'dense_layer'").error(), "while running job 'mlp.toml'");
  EXPECT_EQ(to_string(outer.error()),
            "error[invalid-argument]: binding 3 'weights' needs at least 4096 bytes, the view has 1024\n"
            "  while binding program 'dense_layer'\n"
            "  while running job 'mlp.toml'");
}

TEST(Error, SaysWhetherTryingAgainHelps) {
  EXPECT_EQ(fail(ErrorCode::DeviceLost, "").error().retry, Retry::NewDevice);
  EXPECT_EQ(fail(ErrorCode::TimedOut, "").error().retry, Retry::SameDevice);
  EXPECT_EQ(fail(ErrorCode::Corrupt, "").error().retry, Retry::Recompile);
  EXPECT_EQ(fail(ErrorCode::InvalidArgument, "").error().retry, Retry::Never);
}

TEST(CheckDeathTest, NamesTheConditionAndThePlace) {
  EXPECT_DEATH(VYRE_CHECK(1 + 1 == 3, "arithmetic holds"), "error_test.cpp:.*1 \\+ 1 == 3: arithmetic holds");
}

TEST(Id, NamesOneKindOfThing) {
  using BufferId = Id<struct BufferTag>;
  using ProgramId = Id<struct ProgramTag>;
  static_assert(!std::is_convertible_v<BufferId, ProgramId>);
  EXPECT_LT(BufferId{1}, BufferId{2});
  EXPECT_EQ((std::unordered_set<BufferId>{{1}, {2}, {1}}.size()), 2U);
}

}  // namespace
}  // namespace vyre
