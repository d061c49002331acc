#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>
#include <vyre/runtime/tuner.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"

// Captures that are replayed with other buffers and parameters, and what each launch mode says it did.

namespace vyre::tests {
namespace {

using program::FormKind;
using runtime::BufferView;
using runtime::Capture;
using runtime::CaptureBuffer;
using runtime::CaptureParams;
using runtime::LaunchMode;
using runtime::params;
using runtime::Session;

const program::Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

std::string capitalised(std::string_view name) {
  std::string text{name};
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

class Captures : public testing::TestWithParam<std::tuple<std::string, LaunchMode>> {
 protected:
  static constexpr std::uint32_t kCount = 64;

  void SetUp() override {
    device_ = open_device(std::get<0>(GetParam()));
    session_.emplace(must(Session::open(device_, {.mode = mode()})));
  }
  void TearDown() override {
    session_.reset();
    EXPECT_TRUE(device_->wait_idle());
    EXPECT_EQ(device_->usage(), backend::DeviceUsage{});
  }

  [[nodiscard]] static LaunchMode mode() { return std::get<1>(GetParam()); }
  [[nodiscard]] Session& session() { return *session_; }

  BufferView buffer(std::uint32_t value, std::uint32_t count = kCount) {
    return must(session().buffer<std::uint32_t>(std::vector<std::uint32_t>(count, value))).view();
  }
  /// `y = 3 y + x + k`
  void mix(const BufferView& x, const BufferView& y, std::uint32_t k, std::string_view label = {}) {
    must(session().dispatch(named("mix"), {x, y}, {.params = params(k), .label = label}));
  }
  /// A capture of what is enqueued by `body`.
  template <typename Body>
  Capture capture(const Body& body) {
    return must(session().capture([&]() -> Result<void> {
      body();
      return {};
    }));
  }
  void replay(Capture what, std::initializer_list<CaptureParams> others = {},
              std::initializer_list<CaptureBuffer> buffers = {}) {
    must(session().replay(what, std::span{others.begin(), others.size()}, std::span{buffers.begin(), buffers.size()}));
  }
  [[nodiscard]] Result<void> try_buffers(Capture what, std::initializer_list<CaptureBuffer> buffers) {
    return session().replay(what, {}, std::span{buffers.begin(), buffers.size()});
  }
  /// Refused with these words, and the session goes on.
  void expect_refused(const Result<void>& result, std::initializer_list<std::string> parts) {
    ASSERT_FALSE(result.has_value()) << "it should say " << *parts.begin();
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    for (const std::string& part : parts) EXPECT_THAT(to_string(result.error()), testing::HasSubstr(part));
    const auto flushed = session().flush();
    EXPECT_TRUE(flushed.has_value()) << to_string(flushed.error());
  }
  /// The element that all of a buffer's are.
  std::uint32_t value_of(const BufferView& view) {
    std::vector<std::uint32_t> values(view.size / 4);
    must(session().read_bytes(view, std::as_writable_bytes(std::span{values})));
    must(session().finish());
    EXPECT_THAT(values, testing::Each(values[0]));
    return values[0];
  }

 private:
  std::shared_ptr<backend::Device> device_;
  std::optional<Session> session_;
};

constexpr std::uint32_t mixed(std::uint32_t x, std::uint32_t y, std::uint32_t k) { return y * 3 + x + k; }

TEST_P(Captures, SwappedBuffersGoBackAndForth) {
  const BufferView ping = buffer(1);
  const BufferView pong = buffer(2);
  const Capture step = capture([&] { mix(ping, pong, 0, "step"); });
  std::uint32_t a = 1;
  std::uint32_t b = 2;
  for (std::uint32_t i = 0; i < 50; ++i) {
    if (i % 2 == 0) {
      replay(step, {{.label = "step", .params = params(i)}});
      b = mixed(a, b, i);
    } else {
      replay(step, {{.label = "step", .params = params(i)}}, {{.from = ping, .to = pong}, {.from = pong, .to = ping}});
      a = mixed(b, a, i);
    }
  }
  // And as it was captured.
  replay(step);
  b = mixed(a, b, 0);
  EXPECT_EQ(value_of(ping), a);
  EXPECT_EQ(value_of(pong), b);
}

TEST_P(Captures, AChainRunsOnAnyBuffers) {
  std::array<BufferView, 5> buffers = {};
  std::array<std::uint32_t, 5> values = {1, 2, 3, 4, 5};
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i] = buffer(values[i]);
  const Capture chain = capture([&] {
    mix(buffers[0], buffers[1], 10, "first");
    mix(buffers[1], buffers[2], 20, "second");
    mix(buffers[0], buffers[3], 30, "first");
    mix(buffers[2], buffers[0], 40);
  });
  for (std::uint32_t i = 0; i < 25; ++i) {
    const auto at = [&](std::size_t place) { return (place * 2 + i) % buffers.size(); };
    replay(chain, {{.label = "first", .params = params(i)}},
           {{.from = buffers[0], .to = buffers[at(0)]},
            {.from = buffers[1], .to = buffers[at(1)]},
            {.from = buffers[2], .to = buffers[at(2)]},
            {.from = buffers[3], .to = buffers[at(3)]}});
    const auto step = [&](std::size_t x, std::size_t y, std::uint32_t k) {
      values[at(y)] = mixed(values[at(x)], values[at(y)], k);
    };
    step(0, 1, i);
    step(1, 2, 20);
    step(0, 3, i);
    step(2, 0, 40);
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) EXPECT_EQ(value_of(buffers[i]), values[i]) << i;
}

TEST_P(Captures, CopiesAndFillsGetOtherBuffersToo) {
  const BufferView a = buffer(1);
  const BufferView b = buffer(2);
  const BufferView c = buffer(3);
  const Capture all = capture([&] {
    mix(a, b, 5);
    must(session().copy(b, c));
    must(session().fill(b, 9U));
  });
  const BufferView d = buffer(4);
  const BufferView e = buffer(5);
  replay(all, {}, {{.from = b, .to = d}, {.from = c, .to = e}});
  EXPECT_EQ(value_of(a), 1U);
  EXPECT_EQ(value_of(b), 2U);
  EXPECT_EQ(value_of(c), 3U);
  EXPECT_EQ(value_of(d), 9U);
  EXPECT_EQ(value_of(e), mixed(1, 4, 5));
  replay(all);
  EXPECT_EQ(value_of(c), mixed(1, 2, 5));
  EXPECT_EQ(value_of(b), 9U);
}

TEST_P(Captures, ReadsBeforeAReplaySeeWhatWasBefore) {
  const BufferView a = buffer(1);
  const BufferView b = buffer(2);
  const BufferView c = buffer(3);
  const Capture step = capture([&] { mix(a, b, 0); });
  std::vector<std::uint32_t> before(kCount);
  must(session().read_bytes(c, std::as_writable_bytes(std::span{before})));
  replay(step, {}, {{.from = b, .to = c}});
  EXPECT_EQ(value_of(c), mixed(1, 3, 0));
  EXPECT_THAT(before, testing::Each(3U));
}

TEST_P(Captures, BuffersThatWouldNeedABarrierAreRefused) {
  const BufferView x = buffer(1);
  const BufferView a = buffer(2);
  const BufferView b = buffer(3);
  const BufferView c = buffer(4);
  const Capture apart = capture([&] {
    mix(x, a, 1);
    mix(x, b, 2);
  });
  expect_refused(try_buffers(apart, {{.from = b, .to = a}}), {"operation 1", "barrier"});
  expect_refused(try_buffers(apart, {{.from = a, .to = b}}), {"operation 1", "barrier"});
  // What one reads and the other writes.
  const Capture reads = capture([&] {
    mix(a, b, 1);
    mix(x, c, 2);
  });
  expect_refused(try_buffers(reads, {{.from = c, .to = a}}), {"operation 1", "barrier"});
  // One operation with itself.
  expect_refused(try_buffers(apart, {{.from = x, .to = a}}), {"overlap"});
  // Both read one: nothing must wait.
  replay(reads, {}, {{.from = x, .to = a}});
  // What has a barrier may be anything.
  const Capture chain = capture([&] {
    mix(x, a, 1);
    mix(a, b, 2);
  });
  replay(chain, {}, {{.from = a, .to = b}, {.from = b, .to = a}});
  replay(apart);
}

TEST_P(Captures, ACopyOntoItselfIsRefused) {
  const BufferView a = buffer(2);
  const BufferView b = buffer(3);
  const Capture copies = capture([&] { must(session().copy(a, b)); });
  expect_refused(try_buffers(copies, {{.from = b, .to = a}}), {"overlap"});
  replay(copies);
  EXPECT_EQ(value_of(b), 2U);
}

TEST_P(Captures, WrongBuffersAreRefused) {
  const BufferView a = buffer(1);
  const BufferView b = buffer(2);
  const BufferView small = buffer(3, kCount / 2);
  const BufferView large = buffer(4, kCount * 2);
  const BufferView gone = buffer(5);
  must(session().free(gone));
  const Capture step = capture([&] { mix(a, b, 7); });
  expect_refused(try_buffers(step, {{.from = b, .to = small}}), {"128", "256"});
  expect_refused(try_buffers(step, {{.from = b, .to = gone}}), {"freed"});
  expect_refused(try_buffers(step, {{.from = small, .to = b}}), {"does not use"});
  expect_refused(try_buffers(step, {{.from = b, .to = {}}}), {"no buffer"});
  expect_refused(try_buffers(step, {{.from = b, .to = large}, {.from = b, .to = b}}), {"two buffers"});
  BufferView part = large;
  part.size = b.size;
  expect_refused(try_buffers(step, {{.from = b, .to = part}}), {"whole"});
  BufferView begin = b;
  begin.size = 16;
  expect_refused(try_buffers(step, {{.from = begin, .to = large}}), {"whole"});
  expect_refused(session().replay(step, std::array{CaptureParams{.label = "none", .params = params(1U)}}), {"'none'"});
  // A larger one is used as far as the captured one went.
  replay(step, {}, {{.from = b, .to = large}});
  std::vector<std::uint32_t> values(kCount * 2);
  must(session().read_bytes(large, std::as_writable_bytes(std::span{values})));
  must(session().finish());
  std::vector<std::uint32_t> expected(kCount * 2, 4);
  std::fill_n(expected.begin(), kCount, mixed(1, 4, 7));
  EXPECT_EQ(values, expected);
}

TEST_P(Captures, ItEndsWithItsBuffersAndNotWithOthers) {
  const BufferView a = buffer(1);
  const BufferView b = buffer(2);
  const BufferView other = buffer(3);
  const Capture step = capture([&] { mix(a, b, 7); });
  replay(step, {}, {{.from = b, .to = other}});
  must(session().free(other));
  replay(step);
  EXPECT_EQ(value_of(b), mixed(1, 2, 7));
  must(session().free(b));
  expect_refused(session().replay(step), {"freed"});
}

TEST_P(Captures, ReportsSayWhichFormRan) {
  const BufferView a = buffer(1);
  const BufferView b = buffer(2);
  mix(a, b, 1);
  const runtime::RunReport report = must(session().finish());
  ASSERT_EQ(report.programs.size(), 1U);
  const FormKind expected = mode() == LaunchMode::Merged       ? FormKind::Merged
                            : mode() == LaunchMode::Persistent ? FormKind::Persistent
                            : mode() == LaunchMode::Chain      ? FormKind::Chain
                            : mode() == LaunchMode::Bindless   ? FormKind::Pointer
                                                               : FormKind::Descriptor;
  EXPECT_EQ(report.programs[0].form, expected) << to_text(report);
  EXPECT_EQ(report.programs[0].form_refused, "");
}

/// A batch of a capture and the same batch of dispatches are one shape, and get the launch mode that is best for it.
TEST(CapturedBatches, AreChosenForAsOthersAre) {
  constexpr std::uint32_t kDispatches = 200;
  constexpr std::uint64_t kPart = 64;
  // Launches take long and kernels do not, so that one launch for all is best.
  const auto device = open_fake({.costs = {.launch_ns = 2'000,
                                           .record_ns = 5'000,
                                           .record_command_ns = 500,
                                           .start_ns = 1'000,
                                           .dispatch_ns = 3'000,
                                           .group_ns = 100,
                                           .item_ns = 50,
                                           .form_group_ns = 50}});
  Session session = must(Session::open(device));
  must(session.tuner().calibrate(*device, backend::kForever));
  const auto x = must(session.buffer<std::uint32_t>(kPart * kDispatches));
  const auto y = must(session.buffer<std::uint32_t>(kPart * kDispatches));
  std::vector<std::array<BufferView, 2>> views;
  std::vector<runtime::DispatchItem> items;
  for (std::uint64_t i = 0; i < kDispatches; ++i) {
    views.push_back({x.part(i * kPart, kPart), y.part(i * kPart, kPart)});
  }
  for (const auto& each : views) items.push_back({.buffers = each, .params = params(1U)});
  const auto dispatch_all = [&] { return session.dispatch_many(named("mix"), items); };
  const auto form_after = [&](auto run) {
    for (int i = 0; i < 100; ++i) {
      must(run());
      must(session.wait(must(session.flush())));
    }
    return must(session.finish());
  };
  const Capture captured = must(session.capture(dispatch_all));
  const runtime::RunReport of_capture = form_after([&] { return session.replay(captured); });
  const runtime::RunReport of_dispatches = form_after(dispatch_all);
  EXPECT_TRUE(program::is_one_launch(of_capture.programs.at(0).form)) << to_text(of_capture);
  EXPECT_EQ(of_capture.programs.at(0).form, of_dispatches.programs.at(0).form);
  ASSERT_EQ(of_capture.shapes.size(), 1U);
  ASSERT_EQ(of_dispatches.shapes.size(), 1U);
  EXPECT_EQ(of_capture.shapes[0]->key, of_dispatches.shapes[0]->key);
  // With other buffers and parameters it is a batch of the same shape.
  const Capture labelled = must(session.capture([&]() -> Result<void> {
    for (const auto& each : views) {
      VYRE_TRY(session.dispatch(named("mix"), {each[0], each[1]}, {.params = params(1U), .label = "all"}));
    }
    return {};
  }));
  std::uint32_t k = 1;
  const runtime::RunReport of_changes = form_after(
      [&] { return session.replay(labelled, std::array{CaptureParams{.label = "all", .params = params(++k)}}); });
  EXPECT_TRUE(program::is_one_launch(of_changes.programs.at(0).form)) << to_text(of_changes);
  EXPECT_EQ(of_changes.shapes.at(0)->key, of_dispatches.shapes[0]->key);
}

/// A capture with a write and a read is launched as the same calls without a capture are: in as many submissions, in
/// the same mode, and in the same time on the virtual clock.
TEST(CapturedBatches, WithTransfersAreAsFastAsDispatches) {
  constexpr std::uint32_t kDispatches = 60;
  constexpr std::uint64_t kPart = 64;
  constexpr int kRounds = 200;
  struct Outcome {
    runtime::RunReport report = {};
    std::uint64_t ns = 0;
  };
  const auto run = [&](bool is_mapped, bool is_captured) {
    const auto device = open_fake({.costs = {.launch_ns = 2'000,
                                             .record_ns = 5'000,
                                             .record_command_ns = 500,
                                             .start_ns = 1'000,
                                             .dispatch_ns = 3'000,
                                             .group_ns = 100,
                                             .item_ns = 50,
                                             .form_group_ns = 50},
                                   .options = {.map_device_memory = is_mapped}});
    Session session = must(Session::open(device));
    must(session.tuner().calibrate(*device, backend::kForever));
    const auto x = must(session.buffer<std::uint32_t>(kPart * kDispatches));
    const auto y = must(session.buffer<std::uint32_t>(kPart * kDispatches));
    std::vector<std::uint32_t> in(kPart);
    std::vector<std::uint32_t> out(kPart * kDispatches);
    const auto tell = [&]() -> Result<void> {
      VYRE_TRY(session.write(x.part(0, kPart), in));
      for (std::uint64_t i = 0; i < kDispatches; ++i) {
        VYRE_TRY(session.dispatch(named("mix"), {x.part(i * kPart, kPart), y.part(i * kPart, kPart)},
                                  {.params = params(1U)}));
      }
      return session.read(y, out);
    };
    const Capture captured = must(session.capture(tell));
    const auto round = [&] {
      must(is_captured ? session.replay(captured) : tell());
      must(session.wait(must(session.flush())));
    };
    for (int i = 0; i < kRounds; ++i) round();
    must(session.finish());
    const std::uint64_t begin = device->now_ns();
    for (int i = 0; i < kRounds; ++i) round();
    Outcome outcome{.ns = device->now_ns() - begin};
    outcome.report = must(session.finish());
    return outcome;
  };
  for (const bool is_mapped : {true, false}) {
    SCOPED_TRACE(is_mapped ? "mapped" : "staged");
    const Outcome captured = run(is_mapped, true);
    const Outcome told = run(is_mapped, false);
    EXPECT_EQ(captured.report.programs.at(0).form, told.report.programs.at(0).form);
    EXPECT_EQ(captured.report.submissions, told.report.submissions);
    EXPECT_EQ(captured.report.batches, std::uint64_t{kRounds}) << "one batch, with its copies";
    EXPECT_LE(captured.ns, told.ns + told.ns / 100);
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, LaunchMode>>& info) {
  return std::get<0>(info.param) + capitalised(to_string(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(FakeEquivalence, Captures,
                         testing::Combine(testing::Values("fake"), testing::ValuesIn(kModes)), name_of);
INSTANTIATE_TEST_SUITE_P(VulkanEquivalence, Captures,
                         testing::Combine(testing::Values("vulkan"), testing::ValuesIn(kModes)), name_of);

}  // namespace
}  // namespace vyre::tests
