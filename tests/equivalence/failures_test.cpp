#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/backend/decorators.hpp>
#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"
#include "tests/equivalence/oracle.hpp"
#include "tests/equivalence/random_program.hpp"
#include "tests/equivalence/run_program.hpp"

// What goes wrong on the device comes out as an error, never as a wrong result, and leaves nothing behind.

namespace vyre::tests {
namespace {

using runtime::LaunchMode;
using runtime::Session;
using std::chrono::nanoseconds;

const program::Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

/// Runs the program of a seed, which must succeed.
void expect_works(Session& session, std::uint64_t seed) {
  const RandomProgram program = make_random_program(seed);
  const Result<std::string> wrong = run_program(session, program, run_in_order(program));
  ASSERT_TRUE(wrong) << to_string(wrong.error());
  EXPECT_EQ(*wrong, "");
}

/// What is left when a session is gone.
void expect_empty(backend::Device& device, bool is_lost) {
  if (!is_lost) {
    const auto idle = device.wait_idle();
    ASSERT_TRUE(idle) << to_string(idle.error());
  }
  const backend::DeviceUsage usage = device.usage();
  EXPECT_EQ(usage.buffers, 0U);
  EXPECT_EQ(usage.pipelines, 0U);
  EXPECT_EQ(usage.recordings, 0U);
  if (!is_lost) {
    EXPECT_EQ(usage.bytes, 0U);
    EXPECT_EQ(usage.waiting, 0U);
  }
}

class Failures : public testing::TestWithParam<LaunchMode> {};

struct Submissions {
  std::uint64_t completed = 0;
  std::uint64_t made = 0;
};

/// What an error says of them.
std::optional<Submissions> submissions_in(const Error& error) {
  const std::string text = to_string(error);
  std::smatch match;
  if (!std::regex_search(text, match, std::regex{"([0-9]+) of ([0-9]+) submissions completed"})) return std::nullopt;
  return Submissions{.completed = std::stoull(match[1]), .made = std::stoull(match[2])};
}

/// The error of a lost device, with the number of submissions that completed.
void expect_lost(const Error& error, std::uint64_t lost_at_launch) {
  EXPECT_EQ(error.code, ErrorCode::DeviceLost) << to_string(error);
  const std::optional<Submissions> said = submissions_in(error);
  ASSERT_TRUE(said) << to_string(error);
  EXPECT_LT(said->completed, lost_at_launch) << to_string(error);
  EXPECT_LE(said->completed, said->made) << to_string(error);
}

TEST_P(Failures, ALostDeviceIsSaidAndCanBeOpenedAgain) {
  constexpr std::uint64_t kSeed = 7;
  const RandomProgram program = make_random_program(kSeed);
  const Expected expected = run_in_order(program);
  for (std::uint64_t launch = 1;; ++launch) {
    SCOPED_TRACE(fmt::format("lost at launch {}", launch));
    const auto device = open_fake({.lost_at_launch = launch, .options = {.map_device_memory = launch % 2 == 0}});
    Result<Session> session = Session::open(device, {.mode = GetParam()});
    ASSERT_TRUE(session);
    ReadBytes reads;
    const Result<std::string> run = run_program(*session, program, expected, reads);
    if (run) {
      EXPECT_EQ(*run, "");
      if (launch % 2 == 0) continue;
      ASSERT_GT(launch, 3U);
      break;
    }
    if (!submissions_in(run.error())) {
      EXPECT_EQ(run.error().code, ErrorCode::DeviceLost) << to_string(run.error());
      auto finished = session->finish();
      ASSERT_FALSE(finished);
      expect_lost(finished.error(), launch);
    } else {
      expect_lost(run.error(), launch);
    }
    {
      const Session gone = *std::move(session);
    }
    expect_empty(*device, true);
    const auto again = open_fake();
    Result<Session> next = Session::open(again, {.mode = GetParam()});
    ASSERT_TRUE(next);
    expect_works(*next, kSeed);
    if (HasFailure()) return;
  }
}

TEST_P(Failures, EveryCallOfTheDriverCanFail) {
  constexpr std::uint64_t kAfterwards = 12;
  std::uint64_t failures = 0;
  for (const std::uint64_t seed : {3ULL, 8ULL, 21ULL}) {
    const RandomProgram program = make_random_program(seed);
    const Expected expected = run_in_order(program);
    for (const ErrorCode code : {ErrorCode::Internal, ErrorCode::OutOfMemory, ErrorCode::DeviceLost}) {
      for (std::uint64_t call = 1;; ++call) {
        SCOPED_TRACE(fmt::format("seed {}, call {} fails with {}", seed, call, to_string(code)));
        const auto plan = std::make_shared<backend::FaultPlan>();
        plan->error = {.code = code, .message = "a fault was injected"};
        plan->fail_at = call;
        const auto device =
            open_fake({.shuffle_seed = call,
                       .decorate = [&](auto inner) { return backend::make_faulty_driver(std::move(inner), plan); },
                       .options = {.map_device_memory = seed % 2 == 0}});
        const bool is_lost = code == ErrorCode::DeviceLost;
        std::optional<Session> session;
        if (auto opened = Session::open(device, {.mode = GetParam()})) session.emplace(*std::move(opened));
        bool was_reached = plan->calls >= call;
        if (session) {
          ReadBytes reads;
          const Result<std::string> run = run_program(*session, program, expected, reads);
          was_reached = plan->calls >= call;
          if (run) {
            // Questions how far the device is may stay without an answer.
            EXPECT_EQ(*run, "");
          } else {
            EXPECT_TRUE(was_reached);
            EXPECT_EQ(run.error().code, code) << to_string(run.error());
            ++failures;
            // The session is empty once it has said what went wrong, and works.
            if (!session->finish() && !is_lost) {
              const auto finished = session->finish();
              EXPECT_TRUE(finished) << to_string(finished.error());
            }
            if (!is_lost) expect_works(*session, kAfterwards);
          }
        }
        session.reset();
        plan->fail_at = 0;
        expect_empty(*device, is_lost && was_reached);
        if (HasFailure()) return;
        if (!was_reached) break;
      }
    }
  }
  EXPECT_GT(failures, 100U);
  fmt::print("{} calls were made to fail\n", failures);
}

TEST_P(Failures, WhatWasLaunchedBeforeAFailureIsCounted) {
  constexpr std::uint64_t kDispatches = 6;
  std::uint64_t failed_launches = 0;
  for (std::uint64_t call = 1;; ++call) {
    SCOPED_TRACE(call);
    const auto plan = std::make_shared<backend::FaultPlan>();
    const auto device =
        open_fake({.decorate = [&](auto inner) { return backend::make_faulty_driver(std::move(inner), plan); }});
    Result<Session> session = Session::open(device, {.mode = GetParam(), .max_batch = 4});
    ASSERT_TRUE(session);
    const auto values = session->buffer<std::uint32_t>(64).value();
    const auto step = session->prepare(named("total"), {values.part(0, 32), values.part(32, 32)}).value();
    plan->fail_at = plan->calls + call;
    Result<void> enqueued;
    for (std::uint64_t i = 0; i < kDispatches && enqueued; ++i) enqueued = session->enqueue(step);
    const bool failed_early = !enqueued;
    const auto finished = session->finish();
    if (finished && !failed_early) {
      if (plan->calls < plan->fail_at) break;
      continue;
    }
    if (finished) continue;
    const std::optional<Submissions> said = submissions_in(finished.error());
    ASSERT_TRUE(said) << to_string(finished.error());
    const std::uint64_t all = GetParam() == LaunchMode::Plain ? kDispatches : 2;
    if (said->made == all) continue;
    // A launch failed. What came before it was waited for.
    ++failed_launches;
    EXPECT_EQ(said->completed, said->made) << to_string(finished.error());
  }
  EXPECT_GE(failed_launches, 4U);
}

TEST_P(Failures, AWaitBeyondTheWatchdogIsSaidAndCancelsNothing) {
  constexpr std::uint64_t kDispatchNs = 1'000'000'000;
  for (const bool maps : {true, false}) {
    SCOPED_TRACE(maps);
    const auto device = open_fake({.costs = {.dispatch_ns = kDispatchNs}, .options = {.map_device_memory = maps}});
    Result<Session> session = Session::open(device, {.mode = GetParam(), .watchdog = nanoseconds{kDispatchNs / 100}});
    ASSERT_TRUE(session);
    const auto values = session->buffer<std::uint32_t>(std::vector<std::uint32_t>(64, 1)).value();
    const auto step = [&] {
      return session->dispatch(named("many_params"), {values},
                               {.params = runtime::params(1U, 0.0F, 1, std::array{0U, 0U})});
    };
    {
      // The span may go as soon as the failure was said.
      std::vector<std::uint32_t> unread(64);
      ASSERT_TRUE(step());
      ASSERT_TRUE(session->read(values, unread));
      const auto finished = session->finish();
      ASSERT_FALSE(finished);
      EXPECT_EQ(finished.error().code, ErrorCode::TimedOut) << to_string(finished.error());
      EXPECT_THAT(to_string(finished.error()), testing::HasSubstr("submissions completed"));
    }
    // The dispatch goes on by itself. Whoever is patient gets its result.
    ASSERT_TRUE(device->wait_idle());
    std::vector<std::uint32_t> read(64);
    ASSERT_TRUE(session->read(values, read));
    const auto finished = session->finish();
    ASSERT_TRUE(finished) << to_string(finished.error());
    EXPECT_EQ(read, std::vector<std::uint32_t>(64, 2));
    // A session with work that is not done ends all the same.
    ASSERT_TRUE(step());
    const auto ticket = session->flush();
    ASSERT_TRUE(ticket) << to_string(ticket.error());
    const auto waited = session->wait(*ticket);
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().code, ErrorCode::TimedOut) << to_string(waited.error());
    {
      const Session gone = *std::move(session);
    }
    expect_empty(*device, false);
    Result<Session> next = Session::open(device, {.mode = GetParam()});
    ASSERT_TRUE(next);
    expect_works(*next, 5);
  }
}

TEST_P(Failures, ASessionThatEndsLeavesNothing) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const auto device = open_fake({.shuffle_seed = seed, .options = {.map_device_memory = seed % 2 == 0}});
    {
      Result<Session> session = Session::open(device, {.mode = GetParam()});
      ASSERT_TRUE(session);
      const auto values = session->buffer<std::uint32_t>(std::vector<std::uint32_t>(64, 1)).value();
      for (std::uint32_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(session->dispatch(named("total"), {values.part(0, 32), values.part(32, 32)}));
        if (i % 10 != 0) continue;
        ASSERT_TRUE(session->flush());
      }
    }
    expect_empty(*device, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Failures, testing::ValuesIn(kModes),
                         [](const auto& info) { return std::string{to_string(info.param)}; });

}  // namespace
}  // namespace vyre::tests
