#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"

// What a session refuses, it refuses at the call, by name; and it goes on as if nothing had been asked.

namespace vyre::tests {
namespace {

using program::spirv::SpecOverride;
using runtime::Argument;
using runtime::Buffer;
using runtime::BufferView;
using runtime::GroupCount;
using runtime::param;
using runtime::params;
using runtime::Session;

const program::Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

class Refusals : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = open_device(GetParam());
    session_.emplace(must(Session::open(device_)));
    x_ = must(session().buffer<std::uint32_t>(std::vector<std::uint32_t>(kCount, 5)));
    y_ = must(session().buffer<std::uint32_t>(std::vector<std::uint32_t>(kCount, 1)));
  }

  void TearDown() override {
    session_.reset();
    EXPECT_TRUE(device_->wait_idle());
    EXPECT_EQ(device_->usage(), backend::DeviceUsage{});
  }

  template <typename T>
  T must(Result<T> result) {
    if (!result) throw std::runtime_error{to_string(result.error())};
    return *std::move(result);
  }
  void must(const Result<void>& result) { ASSERT_TRUE(result) << to_string(result.error()); }

  /// Refused with these words in the message or its context, and the session still works.
  template <typename T>
  void expect_refused(const Result<T>& result, std::initializer_list<std::string> parts) {
    ASSERT_FALSE(result.has_value()) << "it should say " << *parts.begin();
    const std::string text = to_string(result.error());
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument) << text;
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "it should say '" << part << "': " << text;
    }
    expect_works();
  }

  void expect_works() {
    expected_ = expected_ * 3 + 5 + 2;
    must(session().dispatch(named("mix"), {x_, y_}, {.params = params(2U)}));
    std::vector<std::uint32_t> values(kCount);
    must(session().read(y_, values));
    const auto report = session().finish();
    ASSERT_TRUE(report) << to_string(report.error());
    ASSERT_EQ(values, std::vector<std::uint32_t>(kCount, expected_));
  }

  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] Result<void> mix(std::initializer_list<Argument> arguments) {
    return session().dispatch(named("mix"), arguments, {.params = params(2U)});
  }
  [[nodiscard]] Result<void> mix_with(const runtime::Params& given) {
    return session().dispatch(named("mix"), {x_, y_}, {.params = given});
  }
  [[nodiscard]] Result<void> many_with(const runtime::Params& given) {
    return session().dispatch(named("many_params"), {y_}, {.groups = {.x = 0}, .params = given});
  }

  static constexpr std::uint64_t kCount = 64;
  static constexpr std::uint64_t kBytes = kCount * 4;

  std::shared_ptr<backend::Device> device_;
  std::optional<Session> session_;
  Buffer<std::uint32_t> x_;
  Buffer<std::uint32_t> y_;
  std::uint32_t expected_ = 1;
};

TEST_P(Refusals, NumbersAndNamesOfBuffers) {
  expect_refused(mix({x_}), {"'mix'", "2 buffers", "1"});
  expect_refused(mix({x_, y_, x_}), {"'mix'", "2 buffers", "3"});
  expect_refused(mix({}), {"'mix'", "2 buffers", "0"});
  expect_refused(mix({{"x", x_}, {"z", y_}}), {"'mix'", "'z'"});
  expect_refused(mix({{"x", x_}, {"x", y_}}), {"'y'"});
  expect_refused(mix({x_, {"y", y_}}), {"name"});
}

TEST_P(Refusals, SizesPlacesAndRanges) {
  const backend::Limits& limits = device_->info().limits;
  const auto uniform = [&](const BufferView& factors) {
    return session().dispatch(named("uniform_scale"), {factors, y_});
  };
  expect_refused(uniform(x_.view().bytes(0, 16)), {"'factors'", "20 bytes", "16"});
  expect_refused(uniform(x_.view().bytes(4, 64)), {"'factors'", "byte 4", std::to_string(limits.uniform_alignment)});
  if (limits.storage_alignment > 4) {
    expect_refused(mix({x_.part(1, 4), y_}), {"'x'", "byte 4", std::to_string(limits.storage_alignment)});
    expect_refused(mix({x_, {y_.part(3, 4)}}), {"'y'", "byte 12", std::to_string(limits.storage_alignment)});
  }
  BufferView beyond = x_;
  beyond.size = kBytes + 4;
  expect_refused(mix({beyond, y_}), {"'x'", "260", "256"});
  beyond = {
      .session = beyond.session, .index = beyond.index, .generation = beyond.generation, .offset = 256, .size = 16};
  expect_refused(mix({beyond, y_}), {"'x'", "256"});
  beyond.offset = ~std::uint64_t{15};
  beyond.size = 32;
  expect_refused(mix({beyond, y_}), {"'x'", "256"});
  expect_refused(session().fill(beyond, 0), {"256"});
  BufferView empty = x_;
  empty.size = 0;
  expect_refused(mix({empty, y_}), {"'x'", "0 bytes"});
}

TEST_P(Refusals, BuffersThatOverlapAreNotRefused) {
  const std::size_t half = view_alignment(*device_) / sizeof(std::uint32_t);
  const auto both = must(session().buffer<std::uint32_t>(2 * half));
  must(mix({both, both}));
  must(mix({both.part(0, half + 1), both.part(half, half)}));
  // Side by side, both only read, or declared aliased, they need no variant.
  must(session().dispatch(named("mix"), {both.part(0, half), both.part(half, half)},
                          {.groups = {.x = 0}, .params = params(2U)}));
  must(session().free(both));
  const auto other = must(session().buffer<std::uint32_t>(kCount));
  must(session().dispatch(named("blend"), {x_, other, x_}));
  must(session().dispatch(named("fold"), {other, other}));
  must(session().free(other));
  expect_works();
}

TEST_P(Refusals, BuffersOfOthersAndBuffersThatAreGone) {
  Session other = must(Session::open(device_));
  const auto foreign = must(other.buffer<std::uint32_t>(kCount));
  expect_refused(mix({foreign, y_}), {"'x'", "another session"});
  expect_refused(session().write_bytes(foreign, std::vector<std::byte>(kBytes)), {"another session"});
  expect_refused(session().copy(foreign, y_), {"another session"});
  expect_refused(session().free(foreign), {"another session"});
  expect_refused(mix({BufferView{}, y_}), {"'x'"});
  const auto gone = must(session().buffer<std::uint32_t>(kCount));
  must(session().free(gone));
  std::vector<std::uint32_t> values(kCount);
  expect_refused(mix({gone, y_}), {"'x'", "freed"});
  expect_refused(session().read(gone, values), {"freed"});
  expect_refused(session().write(gone, values), {"freed"});
  expect_refused(session().copy(x_, gone), {"freed"});
  expect_refused(session().fill(gone, 0), {"freed"});
  expect_refused(session().map(gone), {"freed"});
  expect_refused(session().free(gone), {"freed"});
  // The place is used again, and the old name still names nothing.
  const auto next = must(session().buffer<std::uint32_t>(kCount));
  expect_refused(mix({gone, y_}), {"'x'", "freed"});
  must(session().free(next));
}

TEST_P(Refusals, Parameters) {
  expect_refused(mix_with({}), {"'mix'", "1 parameter", "0"});
  expect_refused(mix_with(params(1U, 2U)), {"'mix'", "1 parameter", "2"});
  expect_refused(mix_with(params(1.0F)), {"'k'", "uint", "float"});
  expect_refused(mix_with(params(1)), {"'k'", "uint", "int"});
  expect_refused(mix_with(params(std::uint64_t{1})), {"'k'", "uint"});
  expect_refused(mix_with(params(std::array{1U, 2U})), {"'k'", "uint", "uvec2"});
  expect_refused(mix_with(params(param("q", 1U))), {"'mix'", "'q'"});
  expect_refused(mix_with(runtime::params_block(std::array{1U, 2U})), {"'mix'", "4 bytes", "8"});
  expect_refused(many_with(params(1U, 1.0F, 1)), {"'many_params'", "4 parameters", "3"});
  expect_refused(many_with(params(1U, 1.0F, 1, std::array{1U, 2U, 3U})), {"'d'", "uvec2", "uvec3"});
  expect_refused(many_with(params(param("a", 1U), param("b", 1.0F), param("c", 1), param("a", 1U))), {"'a'", "twice"});
  expect_refused(session().dispatch(named("total"), {x_, y_}, {.params = params(1U)}),
                 {"'total'", "0 parameters", "1"});
}

TEST_P(Refusals, SpecialisationConstants) {
  const auto step = [&](std::initializer_list<SpecOverride> values) {
    return session().dispatch(named("spec_step"), {y_},
                              {.groups = {.x = 0}, .params = params(1U), .values = {values.begin(), values.size()}});
  };
  expect_refused(step({{.spec_id = 99, .bits = 1}}), {"'spec_step'", "99"});
  expect_refused(step({{.spec_id = kFactorSpecId, .bits = 1}, {.spec_id = kFactorSpecId, .bits = 2}}),
                 {"'spec_step'", "twice"});
  expect_refused(step({{.spec_id = kFactorSpecId, .bits = std::uint64_t{1} << 32}}), {"'spec_step'", "3"});
}

TEST_P(Refusals, Groups) {
  const std::array<std::uint32_t, 3>& limits = device_->info().limits.max_groups;
  const auto try_groups = [&](const GroupCount& groups) {
    return session().dispatch(named("mix"), {x_, y_}, {.groups = groups, .params = params(2U)});
  };
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<std::uint32_t, 3> groups = {1, 1, 1};
    if (limits[i] == ~0U) continue;
    groups[i] = limits[i] + 1;
    expect_refused(try_groups({.x = groups[0], .y = groups[1], .z = groups[2]}),
                   {fmt::format("{}", groups[i]), fmt::format("{}", limits[i])});
  }
}

TEST_P(Refusals, CopiesFillsWritesAndReads) {
  expect_refused(session().copy(x_.part(0, 4), y_.part(0, 5)), {"16", "20"});
  expect_refused(session().copy(y_.part(0, 5), y_.part(4, 5)), {"overlap", "20", "16"});
  expect_refused(session().copy(y_, y_), {"overlap"});
  expect_refused(session().fill(y_.view().bytes(1, 4), 0x01020304), {"4", "0x01020304"});
  expect_refused(session().fill(y_.view().bytes(0, 3), 0x01020304), {"3", "0x01020304"});
  std::vector<std::uint32_t> values(kCount - 1);
  expect_refused(session().write(y_, values), {"252", "256"});
  expect_refused(session().read(y_, values), {"252", "256"});
  expect_refused(session().bytes(0), {"0 bytes"});
  expect_refused(session().bytes(device_->info().limits.max_buffer_bytes + 1),
                 {fmt::format("{}", device_->info().limits.max_buffer_bytes)});
}

TEST_P(Refusals, ManyDispatchesWithOneThatIsWrong) {
  const std::array good = {x_.view(), y_.view()};
  const std::array few = {x_.view()};
  const auto try_last = [&](const runtime::DispatchItem& last) {
    const std::array items = {runtime::DispatchItem{.buffers = good, .params = params(9U)}, last};
    return session().dispatch_many(named("mix"), items);
  };
  // That the first was not enqueued shows in the result.
  expect_refused(try_last({.buffers = few, .params = params(9U)}), {"'mix'", "item 1", "2 buffers", "1"});
  expect_refused(try_last({.buffers = good}), {"'mix'", "item 1", "1 parameter", "0"});
  expect_refused(try_last({.buffers = good, .groups = {.x = ~0U}, .params = params(9U)}), {"'mix'", "item 1"});
}

TEST_P(Refusals, PreparedDispatches) {
  expect_refused(session().prepare(named("mix"), {x_}, {.params = params(2U)}), {"'mix'", "2 buffers", "1"});
  const auto extra = must(session().buffer<std::uint32_t>(kCount));
  const runtime::Prepared prepared = must(session().prepare(named("mix"), {x_, extra}, {.params = params(2U)}));
  expect_refused(session().enqueue(prepared, {}), {"'mix'", "1 parameter", "0"});
  expect_refused(session().enqueue(prepared, params(1.0F)), {"'k'", "uint", "float"});
  Session other = must(Session::open(device_));
  EXPECT_FALSE(other.enqueue(prepared));
  must(session().enqueue(prepared));
  must(session().free(extra));
  expect_refused(session().enqueue(prepared), {"freed"});
  expect_refused(session().enqueue(prepared, params(1U)), {"freed"});
  expect_refused(session().enqueue({.session = prepared.session, .index = 1'000}), {"prepared"});
  expect_refused(session().enqueue(runtime::Prepared{}), {"prepared"});
}

TEST_P(Refusals, Captures) {
  const auto extra = must(session().buffer<std::uint32_t>(kCount));
  const runtime::Capture capture = must(session().capture(
      [&] { return session().dispatch(named("mix"), {x_, extra}, {.params = params(2U), .label = "it"}); }));
  const auto replay_with = [&](std::string_view label, const runtime::Params& given) {
    const runtime::CaptureParams other{.label = label, .params = given};
    return session().replay(capture, {&other, 1});
  };
  expect_refused(replay_with("that", params(1U)), {"'that'"});
  expect_refused(replay_with("", params(1U)), {"label"});
  expect_refused(replay_with("it", params(1.0F)), {"'k'", "uint", "float"});
  expect_refused(replay_with("it", {}), {"1 parameter", "0"});
  Session other = must(Session::open(device_));
  EXPECT_FALSE(other.replay(capture));
  must(session().replay(capture));
  must(session().free(extra));
  expect_refused(session().replay(capture), {"freed"});
  expect_refused(session().replay({}), {"capture"});
}

TEST_P(Refusals, WhatCannotBeCaptured) {
  const auto try_body = [&](const std::function<Result<void>()>& body) {
    return session().capture([&]() -> Result<void> {
      // What was captured before is left out too.
      VYRE_TRY(mix({x_, y_}));
      return body();
    });
  };
  const auto without_value = [](const auto& result) -> Result<void> {
    if (result) return {};
    return std::unexpected{result.error()};
  };
  const runtime::Capture inner = must(session().capture([&] { return session().copy(x_.part(0, 4), x_.part(4, 4)); }));
  expect_refused(try_body([&] { return without_value(session().map(y_)); }), {"capture"});
  expect_refused(try_body([&] { return session().free(y_); }), {"capture"});
  expect_refused(try_body([&] { return session().replay(inner); }), {"capture"});
  expect_refused(try_body([&] { return without_value(session().bytes(16)); }), {"capture"});
  expect_refused(try_body([&] { return without_value(session().flush()); }), {"capture"});
  expect_refused(try_body([&] { return without_value(session().finish()); }), {"capture"});
  expect_refused(try_body([&] { return without_value(session().capture([]() -> Result<void> { return {}; })); }),
                 {"capture"});
  expect_refused(try_body([&] { return mix({y_}); }), {"2 buffers"});
}

TEST_P(Refusals, TicketsThatWereNeverGiven) {
  expect_refused(session().wait({.batch = 1'000}), {"ticket"});
  const runtime::SessionTicket ticket = must(session().flush());
  must(session().wait(ticket));
  must(session().wait(ticket));
  expect_works();
}

/// A refusal in the middle of a batch changes nothing of what was asked before.
TEST_P(Refusals, ABatchGoesOn) {
  std::vector<std::uint32_t> values(kCount);
  must(mix({x_, y_}));
  EXPECT_FALSE(mix({y_}));
  must(session().read(y_, values));
  EXPECT_FALSE(session().copy(y_, y_));
  EXPECT_FALSE(mix_with(params(1.0F)));
  must(mix({x_, y_}));
  const auto report = session().finish();
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->dispatches, 2U);
  EXPECT_EQ(values, std::vector<std::uint32_t>(kCount, 1 * 3 + 5 + 2));
  expected_ = (1 * 3 + 5 + 2) * 3 + 5 + 2;
  expect_works();
}

TEST(NoDevice, IsRefused) { EXPECT_EQ(Session::open(nullptr).error().code, ErrorCode::InvalidArgument); }

INSTANTIATE_TEST_SUITE_P(Devices, Refusals, testing::Values("fake", "vulkan"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace vyre::tests
