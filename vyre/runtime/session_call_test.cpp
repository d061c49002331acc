#include <vyre/runtime/session_call.hpp>

#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace vyre::runtime {
namespace {

std::string message(const Result<void>& result) { return result ? "" : result.error().message; }

TEST(Call, IsRefusedOfASessionThatWasMovedElsewhere) {
  const Call call{nullptr};
  EXPECT_EQ(message(call.begun()), "the session was moved elsewhere");
  EXPECT_EQ(message(call.usable()), "the session was moved elsewhere");
}

TEST(Call, IsRefusedWhileAnotherThreadIsInOne) {
  CallState state;
  const auto other_thread = [&] {
    std::string refusal;
    std::thread{[&] { refusal = message(Call{&state}.begun()); }}.join();
    return refusal;
  };
  {
    const Call call{&state};
    EXPECT_EQ(message(call.begun()), "");
    EXPECT_EQ(other_thread(), "another thread is in a call of the session, which serves one thread at a time");
    EXPECT_EQ(message(call.begun()), "") << "this call goes on undisturbed";
  }
  EXPECT_EQ(other_thread(), "") << "the call has ended";
}

TEST(Call, BelongsToTheCallOfItsOwnThreadAroundIt) {
  CallState state;
  const Call outer{&state};
  {
    const Call inner{&state};
    EXPECT_EQ(message(inner.begun()), "");
  }
  EXPECT_NE(state.caller.load(), std::thread::id{}) << "the outer call has not ended";
}

TEST(Call, GivesTheFailureOfABrokenSessionUntilItIsReported) {
  CallState state;
  state.failure = Error{.code = ErrorCode::DeviceLost, .message = "the device is lost"};
  const Call call{&state};
  EXPECT_EQ(message(call.usable()), "the device is lost");
  EXPECT_EQ(message(call.begun()), "") << "`finish` may be called, which reports it";
  state.failure.reset();
  EXPECT_EQ(message(call.usable()), "");
}

}  // namespace
}  // namespace vyre::runtime
