#include "cli/survey/timings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace vyre::cli::survey {
namespace {

using program::Program;
using runtime::Buffer;
using runtime::BufferView;
using runtime::DispatchItem;
using runtime::LaunchMode;
using runtime::Session;
using Clock = std::chrono::steady_clock;

/// Fewer rounds than `kMinRounds` do not show the spread; more than `kMaxRounds` add nothing.
constexpr std::size_t kMinRounds = 5;
constexpr std::size_t kMaxRounds = 200;
/// One slow launch mode must not keep the survey for minutes.
constexpr std::chrono::seconds kWatchdog{60};

constexpr const char* kTiny = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer X { uint x[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < uint(x.length())) x[i] = x[i] * 3u + 1u;
})";

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// One launch mode with its session and its batch.
struct Contender {
  LaunchMode mode;
  Session session;
  std::vector<BufferView> views = {};
  std::vector<DispatchItem> items = {};
  std::vector<double> rounds_ns = {};
};

Result<Contender> make_contender(const std::shared_ptr<backend::Device>& device, Pattern pattern,
                                 std::uint32_t dispatches, LaunchMode mode) {
  VYRE_ASSIGN(Session session, Session::open(device, {.mode = mode, .watchdog = kWatchdog, .calibrate_after = {}}));
  const std::uint64_t part = std::max(64U, device->info().limits.storage_alignment / 4);
  VYRE_ASSIGN(const Buffer<std::uint32_t> all, session.buffer<std::uint32_t>(part * dispatches));
  Contender made{.mode = mode, .session = std::move(session)};
  for (std::uint32_t i = 0; i < dispatches; ++i) {
    made.views.push_back(all.part(pattern == Pattern::Steps ? 0 : i * part, 64));
  }
  for (const BufferView& view : made.views) made.items.push_back({.buffers = std::span{&view, 1}});
  return made;
}

Result<void> run_once(const Program& program, Contender& contender) {
  VYRE_TRY(contender.session.dispatch_many(program, contender.items));
  VYRE_ASSIGN(const runtime::SessionTicket ticket, contender.session.flush());
  return contender.session.wait(ticket);
}

Timing summary_of(Pattern pattern, std::uint32_t dispatches, Contender& contender) {
  std::vector<double>& rounds = contender.rounds_ns;
  std::ranges::sort(rounds);
  const auto at = [&](double share) {
    return rounds[static_cast<std::size_t>(share * static_cast<double>(rounds.size() - 1))];
  };
  return {.pattern = pattern,
          .dispatches = dispatches,
          .mode = contender.mode,
          .median_ns = at(0.5),
          .lower_ns = at(0.25),
          .upper_ns = at(0.75),
          .rounds = static_cast<std::uint32_t>(rounds.size())};
}

Result<void> time_batch(const std::shared_ptr<backend::Device>& device, Pattern pattern, std::uint32_t dispatches,
                        double seconds, std::vector<Timing>& timings) {
  VYRE_ASSIGN(const Program program, Program::from_glsl(kTiny, {.name = "tiny"}));
  std::vector<Contender> contenders;
  for (const LaunchMode mode : runtime::kAllLaunchModes) {
    VYRE_ASSIGN(Contender made, make_contender(device, pattern, dispatches, mode));
    contenders.push_back(std::move(made));
  }
  for (Contender& each : contenders) {
    const Clock::time_point begin = Clock::now();
    do {  // The first rounds, in which kernels are compiled and recordings made, are not timed.
      for (int i = 0; i < 3; ++i) VYRE_TRY(run_once(program, each));
    } while (each.mode == LaunchMode::Auto && seconds_since(begin) < seconds);
  }
  const Clock::time_point begin = Clock::now();
  for (std::size_t round = 0; round < kMaxRounds && (round < kMinRounds || seconds_since(begin) < seconds); ++round) {
    for (Contender& each : contenders) {
      const Clock::time_point before = Clock::now();
      VYRE_TRY(run_once(program, each));
      each.rounds_ns.push_back(seconds_since(before) * 1e9);
    }
  }
  for (Contender& each : contenders) timings.push_back(summary_of(pattern, dispatches, each));
  return {};
}

}  // namespace

std::string_view to_string(Pattern pattern) noexcept {
  return pattern == Pattern::Independent ? "independent" : "steps";
}

Result<std::vector<Timing>> time_modes(const std::shared_ptr<backend::Device>& device, double seconds) {
  std::vector<Timing> timings;
  for (const Pattern pattern : {Pattern::Independent, Pattern::Steps}) {
    for (const std::uint32_t dispatches : kBatchSizes)
      VYRE_TRY(time_batch(device, pattern, dispatches, seconds, timings));
  }
  return timings;
}

}  // namespace vyre::cli::survey
