#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>
#include <vyre/runtime/system.hpp>
#include <vyre/runtime/tuner.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"

// Values that no call can use: the call that they reach refuses them, by name and with the limit, and nothing ends.

namespace vyre::tests {
namespace {

using runtime::Buffer;
using runtime::BufferView;
using runtime::params;
using runtime::Session;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kCount = 64;

const program::Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

template <typename T>
std::string refusal(const Result<T>& result) {
  if (result) return "it was not refused";
  EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument) << to_string(result.error());
  return to_string(result.error());
}

class BadValues : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = open_device(GetParam());
    session_.emplace(Session::open(device_).value());
    x_ = session().buffer<std::uint32_t>(std::vector<std::uint32_t>(kCount, 5)).value();
    y_ = session().buffer<std::uint32_t>(std::vector<std::uint32_t>(kCount, 1)).value();
  }

  void TearDown() override {
    // What was refused has changed nothing.
    std::vector<std::uint32_t> values(kCount);
    ASSERT_TRUE(session().dispatch(named("mix"), {x_, y_}, {.params = params(2U)}));
    ASSERT_TRUE(session().read(y_, values));
    const auto report = session().finish();
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(values, std::vector<std::uint32_t>(kCount, 1 * 3 + 5 + 2));
    session_.reset();
    ASSERT_TRUE(device_->wait_idle());
    EXPECT_EQ(device_->usage(), backend::DeviceUsage{});
  }

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] std::string refused_params(const runtime::Params& given) {
    const std::string text = refusal(session().dispatch(named("mix"), {x_, y_}, {.params = given}));
    const std::array views{x_.view(), y_.view()};
    const std::array items{runtime::DispatchItem{.buffers = views, .params = given}};
    EXPECT_THAT(refusal(session().dispatch_many(named("mix"), items)), HasSubstr("item 0"));
    EXPECT_THAT(refusal(session().prepare(named("mix"), {x_, y_}, {.params = given})), HasSubstr("preparing"));
    return text;
  }

  std::shared_ptr<backend::Device> device_;
  std::optional<Session> session_;
  Buffer<std::uint32_t> x_;
  Buffer<std::uint32_t> y_;
};

TEST_P(BadValues, MoreParametersThanThereIsRoomFor) {
  struct Block {
    std::array<std::byte, 300> bytes = {};
  };
  EXPECT_THAT(refused_params(runtime::params_block(Block{})),
              HasSubstr("program 'mix' has 4 bytes of push constants, 300 are given, the limit is 256"));
  // A block of a page is no place to read from, and none to write to.
  EXPECT_THAT(refused_params(runtime::Params::from_bytes(std::vector<std::byte>(4096))), HasSubstr("4096 are given"));
  runtime::Params many;
  for (std::uint32_t i = 0; i < 33; ++i) many.add(i);
  EXPECT_THAT(refused_params(many), HasSubstr("program 'mix' has 1 parameters, 33 of together 132 bytes are given, the "
                                              "limits are 32 values and 256 bytes"));
  runtime::Params wide;
  for (std::uint32_t i = 0; i < 9; ++i) wide.add(std::array<double, 4>{});
  EXPECT_THAT(refused_params(wide), HasSubstr("9 of together 288 bytes"));
  wide.add(1U);
  EXPECT_THAT(refused_params(wide), HasSubstr("10 of together 292 bytes"));
}

TEST_P(BadValues, AProgramWithoutParametersTakesNoneThatDoNotFit) {
  const auto sum = session().buffer<std::uint32_t>(kCount).value();
  const std::array views{x_.view(), sum.view()};
  std::array<runtime::DispatchItem, 1> items{runtime::DispatchItem{.buffers = views}};
  ASSERT_TRUE(session().dispatch_many(named("total"), items));
  ASSERT_TRUE(session().flush());
  // The same again but for the parameters, which has a way of its own.
  items[0].params = runtime::Params::from_bytes(std::vector<std::byte>(300));
  EXPECT_THAT(refusal(session().dispatch_many(named("total"), items)),
              HasSubstr("program 'total' has 0 bytes of push constants, 300 are given, the limit is 256"));
}

TEST_P(BadValues, ANameOfAParameterIsAName) {
  EXPECT_THAT(refused_params(params(runtime::param("", 2U))), HasSubstr("program 'mix' has no parameter ''"));
  // As long as the name is a multiple of 65,536, which is 0 in 16 bits.
  const std::string name(65'536, 'k');
  EXPECT_THAT(refused_params(params(runtime::param(name, 2U))), HasSubstr("program 'mix' has no parameter 'kk"));
}

TEST_P(BadValues, PartsOutsideOfTheirView) {
  const auto refused = [&](const Buffer<std::uint32_t>& part) {
    const std::string text = refusal(session().dispatch(named("mix"), {part, y_}, {.params = params(2U)}));
    const std::array views{part.view(), y_.view()};
    const std::array items{runtime::DispatchItem{.buffers = views, .params = params(2U)}};
    EXPECT_THAT(refusal(session().dispatch_many(named("mix"), items)), HasSubstr("is taken of a view of"));
    EXPECT_THAT(refusal(session().fill(part, 1)), HasSubstr("is taken of a view of"));
    EXPECT_THAT(refusal(session().copy(x_, part)), HasSubstr("is taken of a view of"));
    EXPECT_THAT(refusal(session().copy(part, x_)), HasSubstr("is taken of a view of"));
    EXPECT_THAT(refusal(session().map(part)), HasSubstr("is taken of a view of"));
    EXPECT_THAT(refusal(session().free(part)), HasSubstr("is taken of a view of"));
    const std::vector<std::uint32_t> values(4);
    EXPECT_THAT(refusal(session().write(part, values)), HasSubstr("is taken of a view of"));
    std::vector<std::uint32_t> room(4);
    EXPECT_THAT(refusal(session().read(part, room)), HasSubstr("is taken of a view of"));
    return text;
  };
  EXPECT_THAT(refused(x_.part(60, 5)), AllOf(HasSubstr("'x'"), HasSubstr("a part of 20 bytes at 240 is taken of a view "
                                                                         "of 256 bytes")));
  EXPECT_THAT(refused(x_.part(65, 0)), HasSubstr("a part of 0 bytes at 260 is taken of a view of 256 bytes"));
  // Within the buffer, but outside of the part that it is a part of; and parts of that.
  const Buffer<std::uint32_t> outside = x_.part(0, 4).part(2, 4);
  EXPECT_THAT(refused(outside), HasSubstr("a part of 16 bytes at 8 is taken of a view of 16 bytes"));
  EXPECT_THAT(refused(outside.part(0, 4)), HasSubstr("a part of 16 bytes at 8 is taken of a view of 16 bytes"));
  EXPECT_THAT(refused(outside.part(1, 2)), HasSubstr("a part of 16 bytes at 8 is taken of a view of 16 bytes"));
  // Numbers of bytes beyond 64 bits.
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(refused(x_.part(kMost / 2, 1)), HasSubstr("at 18446744073709551615 is taken of a view of 256 bytes"));
  EXPECT_THAT(refused(x_.part(kMost, kMost)), HasSubstr("is taken of a view of 256 bytes"));
  EXPECT_THAT(refused(Buffer<std::uint32_t>{x_.view().bytes(4, kMost - 3)}), HasSubstr("of 18446744073709551612 bytes "
                                                                                       "at 4"));
  // No buffer has no parts.
  EXPECT_THAT(refusal(session().fill(Buffer<std::uint32_t>{}.part(1, 2), 1)), HasSubstr("the view names no buffer"));
}

TEST_P(BadValues, AProgramThatWasMovedIsTheSame) {
  program::Program program = named("mix");
  const program::Program elsewhere = std::move(program);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(program.name(), "mix");
  EXPECT_EQ(program.interface_hash(), elsewhere.interface_hash());
  const auto copy = session().buffer<std::uint32_t>(kCount).value();
  EXPECT_TRUE(session().dispatch(program, {x_, copy}, {.params = params(2U)}));
  // NOLINTEND(bugprone-use-after-move)
}

TEST_P(BadValues, ASessionThatWasMovedSaysSo) {
  Session moved = Session::open(device_).value();
  const auto buffer = moved.buffer<std::uint32_t>(kCount).value();
  const auto other = moved.buffer<std::uint32_t>(kCount).value();
  const auto prepared = moved.prepare(named("mix"), {buffer, other}, {.params = params(2U)});
  ASSERT_TRUE(prepared);
  const Session elsewhere = std::move(moved);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  std::vector<std::uint32_t> values(kCount);
  const std::array views{buffer.view(), buffer.view()};
  const std::array items{runtime::DispatchItem{.buffers = views, .params = params(2U)}};
  const auto body = []() -> Result<void> { return {}; };
  for (const std::string& text :
       {refusal(moved.bytes(16)), refusal(moved.buffer<std::uint32_t>(16)),
        refusal(moved.buffer<std::uint32_t>(values)), refusal(moved.free(buffer)), refusal(moved.map(buffer)),
        refusal(moved.write(buffer, values)), refusal(moved.read(buffer, values)), refusal(moved.copy(buffer, buffer)),
        refusal(moved.fill(buffer, 1)), refusal(moved.dispatch(named("mix"), {buffer, buffer}, {.params = params(2U)})),
        refusal(moved.dispatch_many(named("mix"), items)),
        refusal(moved.prepare(named("mix"), {buffer, buffer}, {.params = params(2U)})),
        refusal(moved.enqueue(*prepared)), refusal(moved.enqueue(*prepared, params(1U))), refusal(moved.capture(body)),
        refusal(moved.replay({})), refusal(moved.flush()), refusal(moved.wait({})), refusal(moved.finish())}) {
    EXPECT_EQ(text, "error[invalid-argument]: the session was moved elsewhere");
  }
  EXPECT_EQ(&moved.device(), device_.get());
  EXPECT_EQ(&moved.tuner(), &elsewhere.tuner());
  // It can be used again once it was given another.
  moved = Session::open(device_).value();
  EXPECT_TRUE(moved.finish());
  // NOLINTEND(bugprone-use-after-move)
}

TEST_P(BadValues, ACaptureWithoutABody) {
  EXPECT_THAT(refusal(session().capture(nullptr)), HasSubstr("a capture needs a body"));
}

TEST_P(BadValues, ACaptureOfTooManyOperations) {
  const auto copy = session().buffer<std::uint32_t>(kCount).value();
  const auto captured = session().capture([&] {
    return session().dispatch(named("mix"), {x_, copy}, {.params = params(2U), .repeat = ~std::uint32_t{0}});
  });
  EXPECT_THAT(refusal(captured), HasSubstr("the capture has 0 operations and is given 4294967295 more, the limit is "
                                           "16777216"));
}

/// The body of a capture may do anything, even end the session that it is captured in.
TEST_P(BadValues, ACaptureWhoseBodyEndsTheSession) {
  std::optional<Session> ended = Session::open(device_).value();
  const auto buffer = ended->buffer<std::uint32_t>(kCount).value();
  const auto captured = ended->capture([&]() -> Result<void> {
    VYRE_TRY(ended->fill(buffer, 1));
    const Session elsewhere = *std::move(ended);
    ended.reset();
    return {};
  });
  EXPECT_TRUE(captured) << to_string(captured.error());
  EXPECT_THAT(refusal(session().replay(*captured)), HasSubstr("belongs to another session"));
}

TEST_P(BadValues, NamesOfWhatWasNeverMade) {
  const auto captured = session().capture([&] { return session().copy(x_.part(0, 4), x_.part(4, 4)); }).value();
  EXPECT_THAT(refusal(session().replay({.session = captured.session, .index = 7})),
              HasSubstr("capture 7 is replayed, the session made 1"));
  EXPECT_THAT(refusal(session().enqueue({.session = captured.session, .index = 3})),
              HasSubstr("prepared dispatch 3 is enqueued, the session made 0"));
}

TEST_P(BadValues, AValueGivenTwice) {
  const auto copy = session().buffer<std::uint32_t>(kCount).value();
  const auto captured =
      session()
          .capture([&] { return session().dispatch(named("mix"), {x_, copy}, {.params = params(2U), .label = "it"}); })
          .value();
  const std::array twice{runtime::CaptureParams{.label = "it", .params = params(1U)},
                         runtime::CaptureParams{.label = "it", .params = params(2U)}};
  EXPECT_THAT(refusal(session().replay(captured, twice)), HasSubstr("label 'it' is given parameters twice"));
  EXPECT_TRUE(session().replay(captured, std::span{twice}.first(1)));
}

TEST_P(BadValues, ANameOfABindingIsAName) {
  EXPECT_THAT(refusal(session().dispatch(named("mix"), {{"", x_}, {"", y_}}, {.params = params(2U)})),
              HasSubstr("program 'mix' has no binding ''"));
}

TEST_P(BadValues, APartIsNotFreed) {
  const auto buffer = session().buffer<std::uint32_t>(kCount).value();
  EXPECT_THAT(refusal(session().free(buffer.part(4, 8))),
              HasSubstr("a part of 32 bytes at 16 of a buffer of 256 is freed, only whole buffers are"));
  EXPECT_TRUE(session().free(buffer));
}

TEST_P(BadValues, AKernelOfTooManyBuffers) {
  const auto kernel_of = [](const std::string& count) {
    return program::Program::from_glsl("#version 450\nlayout(binding = 0) buffer B { uint v[]; } b[" + count +
                                           "];\nvoid main() { b[0].v[0] = 1u; }\n",
                                       {.name = "many"})
        .value();
  };
  for (const std::string count : {"1025", "30000", "2000000000"}) {
    const auto refused = session().dispatch(kernel_of(count), {x_});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(to_string(refused.error()), HasSubstr("the number of buffers is " + count + ", the limit is 1024"));
  }
  const std::string text = to_string(session().dispatch(kernel_of("1000"), {x_}).error());
  EXPECT_LT(text.size(), 1'000U) << text;
}

TEST_P(BadValues, OptionsOfASession) {
  EXPECT_THAT(refusal(Session::open(device_, {.exploration = std::numeric_limits<double>::quiet_NaN()})),
              HasSubstr("exploration is nan, it takes 0 to 1"));
  EXPECT_THAT(refusal(Session::open(device_, {.mode = static_cast<runtime::LaunchMode>(99)})), HasSubstr("mode is 99"));
  EXPECT_THAT(refusal(Session::open(device_, {.watchdog = std::chrono::seconds{-1}})),
              HasSubstr("watchdog is -1000000000 ns, it takes 1 ns or more"));
}

TEST_P(BadValues, ACalibrationOfNoNumbers) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  choice::Calibration wrong;
  wrong.way(choice::Way::Replay).slope_ns = kNone;
  EXPECT_THAT(refusal(session().tuner().set(wrong)), HasSubstr("way 'replay' is nan, it takes a finite number"));
  wrong = {.barrier_ns = -kNone};
  EXPECT_THAT(refusal(session().tuner().set(wrong)), HasSubstr("barrier_ns is "));
  wrong = {};
  wrong.forms[2].wide = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(session().tuner().set(wrong)), HasSubstr("merged form is inf"));
  EXPECT_FALSE(session().tuner().is_calibrated());
}

/// A call of one thread while another is in one is refused, and the other goes on.
TEST_P(BadValues, OneSessionInTwoThreads) {
  std::binary_semaphore is_in{0};
  std::binary_semaphore may_end{0};
  const auto copy = session().buffer<std::uint32_t>(std::vector<std::uint32_t>(kCount, 1)).value();
  Result<runtime::Capture> captured;
  std::jthread other{[&] {
    captured = session().capture([&]() -> Result<void> {
      VYRE_TRY(session().dispatch(named("mix"), {x_, copy}, {.params = params(2U)}));
      is_in.release();
      may_end.acquire();
      return session().dispatch(named("mix"), {x_, copy}, {.params = params(2U)});
    });
  }};
  is_in.acquire();
  std::vector<std::uint32_t> values(kCount);
  for (const std::string& text :
       {refusal(session().bytes(16)), refusal(session().buffer<std::uint32_t>(values)), refusal(session().free(copy)),
        refusal(session().map(copy)), refusal(session().write(copy, values)), refusal(session().read(copy, values)),
        refusal(session().copy(x_, copy)), refusal(session().fill(copy, 1)),
        refusal(session().dispatch(named("mix"), {x_, copy}, {.params = params(2U)})), refusal(session().flush()),
        refusal(session().wait({})), refusal(session().finish())}) {
    EXPECT_EQ(text,
              "error[invalid-argument]: another thread is in a call of the session, which serves one thread at a time");
  }
  EXPECT_EQ(&session().device(), device_.get());
  may_end.release();
  other.join();
  ASSERT_TRUE(captured) << to_string(captured.error());
  ASSERT_TRUE(session().replay(*captured));
  ASSERT_TRUE(session().read(copy, values));
  const auto report = session().finish();
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->dispatches, 2U);
  EXPECT_EQ(values, std::vector<std::uint32_t>(kCount, (1 * 3 + 5 + 2) * 3 + 5 + 2));
}

/// A session may go from thread to thread.
TEST_P(BadValues, OneSessionInOneThreadAfterAnother) {
  const auto copy = session().buffer<std::uint32_t>(std::vector<std::uint32_t>(kCount, 1)).value();
  for (int i = 0; i < 3; ++i) {
    std::jthread{[&] { EXPECT_TRUE(session().dispatch(named("mix"), {x_, copy}, {.params = params(2U)})); }};
  }
  EXPECT_TRUE(session().finish());
}

INSTANTIATE_TEST_SUITE_P(Devices, BadValues, testing::Values("fake", "vulkan"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace vyre::tests
