#include "cli/survey/checks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli::survey {
namespace {

using program::Program;
using runtime::Buffer;
using runtime::LaunchMode;
using runtime::params;
using runtime::Session;
using Words = std::vector<std::uint32_t>;

/// The kernels of this file take less than a second on any processor, so a device that takes this long hangs.
constexpr std::chrono::seconds kWatchdog{60};

constexpr const char* kScale = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform Params { uint factor; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] = y[i] + factor * x[i];
})";

constexpr const char* kStep = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer X { uint x[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < uint(x.length())) x[i] = x[i] * 1664525u + 1013904223u + gl_WorkGroupID.x;
})";

constexpr const char* kSum = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) writeonly buffer Y { uint y[]; };
shared uint part[64];
void main() {
  uint i = gl_LocalInvocationIndex;
  uint at = gl_GlobalInvocationID.x;
  part[i] = at < uint(x.length()) ? x[at] : 0u;
  for (uint half_size = 32u; half_size > 0u; half_size >>= 1) {
    barrier();
    if (i < half_size) part[i] += part[i + half_size];
  }
  if (i == 0u) y[gl_WorkGroupID.x] = part[0];
})";

constexpr const char* kHistogram = R"(#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint kBins = 8;
layout(binding = 0) uniform Offset { uint offset; };
layout(binding = 1) readonly buffer X { uint x[]; };
layout(binding = 2) buffer Bins { uint bins[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < uint(x.length())) atomicAdd(bins[(x[i] + offset) % kBins], 1u);
})";

constexpr const char* kSmooth = R"(#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer From { float from[]; };
layout(binding = 1) writeonly buffer To { float to[]; };
layout(push_constant) uniform Params { uint width; float weight; };
void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= width || at.y >= width) return;
  uint i = at.y * width + at.x;
  float left = at.x > 0u ? from[i - 1u] : 0.0;
  float above = at.y > 0u ? from[i - width] : 0.0;
  precise float sum = left + above;
  precise float scaled = sum * weight;
  precise float result = from[i] + scaled;
  to[i] = result;
})";

Words counting(std::uint32_t count, std::uint32_t factor) {
  Words words(count);
  for (std::uint32_t i = 0; i < count; ++i) words[i] = i * factor + (i >> 3);
  return words;
}

/// The first difference in words, or nothing.
template <typename T>
std::string difference(std::span<const T> found, std::span<const T> expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] != expected[i]) return fmt::format("element {} is {}, not {}", i, found[i], expected[i]);
  }
  return {};
}

/// Reads a buffer at the end of all work and compares it.
template <typename T>
Result<std::string> compare(Session& session, const Buffer<T>& buffer, const std::vector<T>& expected) {
  std::vector<T> found(expected.size());
  VYRE_TRY(session.read(buffer, found));
  VYRE_TRY(session.finish());
  return difference<T>(found, expected);
}

/// Independent dispatches on parts of two buffers, twice, so that a recording is used.
Result<std::string> check_parts(Session& session) {
  constexpr std::uint32_t kParts = 40;
  constexpr std::uint32_t kUsed = 50;  // The number of elements of a part that the kernel changes.
  const std::uint32_t part = std::max(64U, session.device().info().limits.storage_alignment / 4);
  VYRE_ASSIGN(const Program program, Program::from_glsl(kScale, {.name = "parts"}));
  const Words start = counting(kParts * part, 7);
  VYRE_ASSIGN(const Buffer<std::uint32_t> x, session.buffer<std::uint32_t>(start));
  VYRE_ASSIGN(const Buffer<std::uint32_t> y, session.buffer<std::uint32_t>(kParts * part));
  Words expected(kParts * part, 0);
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < kParts; ++i) {
      VYRE_TRY(session.dispatch(program, {x.part(std::uint64_t{i} * part, part), y.part(std::uint64_t{i} * part, part)},
                                {.groups = {(kUsed + 63) / 64}, .params = params(i + 1, kUsed)}));
      for (std::uint32_t j = 0; j < kUsed; ++j) expected[i * part + j] += (i + 1) * start[i * part + j];
    }
    VYRE_TRY(session.finish());
  }
  return compare(session, y, expected);
}

/// Dispatches that each need the result of the one before.
Result<std::string> check_steps(Session& session) {
  constexpr std::uint32_t kSteps = 40;
  VYRE_ASSIGN(const Program program, Program::from_glsl(kStep, {.name = "steps"}));
  Words expected = counting(200, 3);
  VYRE_ASSIGN(const Buffer<std::uint32_t> x, session.buffer<std::uint32_t>(expected));
  for (std::uint32_t round = 0; round < 3; ++round) {
    VYRE_TRY(session.dispatch(program, {x}, {.groups = {4}, .repeat = kSteps}));
    VYRE_TRY(session.finish());
  }
  for (std::uint32_t step = 0; step < 3 * kSteps; ++step) {
    for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = expected[i] * 1664525U + 1013904223U + i / 64;
  }
  return compare(session, x, expected);
}

/// Shared memory, barriers, and a second pass over the results of the first.
Result<std::string> check_sums(Session& session) {
  constexpr std::uint32_t kSums = 8;
  VYRE_ASSIGN(const Program program, Program::from_glsl(kSum, {.name = "sums"}));
  const std::uint32_t part = std::max(64U, session.device().info().limits.storage_alignment / 4);
  VYRE_ASSIGN(const Buffer<std::uint32_t> middle, session.buffer<std::uint32_t>(kSums * part));
  VYRE_ASSIGN(const Buffer<std::uint32_t> ends, session.buffer<std::uint32_t>(kSums * part));
  Words expected(kSums * part, 0);
  for (std::uint32_t i = 0; i < kSums; ++i) {
    const Words values = counting(1'000, 11 + i);
    VYRE_ASSIGN(const Buffer<std::uint32_t> x, session.buffer<std::uint32_t>(values));
    VYRE_TRY(session.dispatch(program, {x, middle.part(std::uint64_t{i} * part, 64)}, {.groups = {16}}));
    expected[i * part] = std::accumulate(values.begin(), values.end(), std::uint32_t{0});
  }
  for (std::uint32_t i = 0; i < kSums; ++i) {
    VYRE_TRY(session.dispatch(
        program, {middle.part(std::uint64_t{i} * part, 64), ends.part(std::uint64_t{i} * part, 64)}, {.groups = {1}}));
  }
  return compare(session, ends, expected);
}

/// Atomics, a uniform block and a specialisation constant.
Result<std::string> check_histogram(Session& session) {
  constexpr std::uint32_t kBins = 13;
  VYRE_ASSIGN(const Program program, Program::from_glsl(kHistogram, {.name = "histogram"}));
  const Words values = counting(3'000, 5);
  VYRE_ASSIGN(const Buffer<std::uint32_t> x, session.buffer<std::uint32_t>(values));
  VYRE_ASSIGN(const Buffer<std::uint32_t> bins, session.buffer<std::uint32_t>(kBins));
  const std::array overrides{program::spirv::SpecOverride{.spec_id = 3, .bits = kBins}};
  Words expected(kBins, 0);
  for (std::uint32_t i = 0; i < 6; ++i) {
    VYRE_ASSIGN(const Buffer<std::uint32_t> offset, session.buffer<std::uint32_t>(std::array{i * 3, 0U, 0U, 0U}));
    VYRE_TRY(session.dispatch(program, {offset, x, bins}, {.groups = {47}, .values = overrides}));
    for (const std::uint32_t value : values) ++expected[(value + i * 3) % kBins];
  }
  return compare(session, bins, expected);
}

/// Two buffers that take turns, and parameters that change with the step.
Result<std::string> check_ping_pong(Session& session) {
  constexpr std::uint32_t kWidth = 24;
  VYRE_ASSIGN(const Program program, Program::from_glsl(kSmooth, {.name = "ping_pong"}));
  std::vector<float> expected(kWidth * kWidth);
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<float>(i % 17) * 0.25F;
  VYRE_ASSIGN(Buffer<float> from, session.buffer<float>(expected));
  VYRE_ASSIGN(Buffer<float> to, session.buffer<float>(expected.size()));
  for (std::uint32_t step = 1; step <= 12; ++step) {
    const float weight = 1.0F / static_cast<float>(1U << (step % 5));
    VYRE_TRY(session.dispatch(program, {from, to}, {.groups = {3, 3}, .params = params(kWidth, weight)}));
    std::swap(from, to);
    std::vector<float> next(expected.size());
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
      const float left = i % kWidth > 0 ? expected[i - 1] : 0.0F;
      const float above = i >= kWidth ? expected[i - kWidth] : 0.0F;
      const float sum = left + above;
      const float scaled = sum * weight;
      next[i] = expected[i] + scaled;
    }
    expected = std::move(next);
  }
  return compare(session, from, expected);
}

/// Writes, fills and copies between dispatches.
Result<std::string> check_transfers(Session& session) {
  VYRE_ASSIGN(const Program program, Program::from_glsl(kScale, {.name = "transfers"}));
  const std::uint32_t part = std::max(64U, session.device().info().limits.storage_alignment / 4);
  VYRE_ASSIGN(const Buffer<std::uint32_t> x, session.buffer<std::uint32_t>(part));
  VYRE_ASSIGN(const Buffer<std::uint32_t> y, session.buffer<std::uint32_t>(2 * part));
  Words expected(2 * part, 0);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Words values = counting(part, i + 2);
    VYRE_TRY(session.write(x, values));
    VYRE_TRY(
        session.dispatch(program, {x, y.part(0, part)}, {.groups = {(part + 63) / 64}, .params = params(3U, part)}));
    VYRE_TRY(session.copy(y.part(0, part), y.part(part, part)));
    VYRE_TRY(session.fill(y.part(0, 4), i));
    for (std::uint32_t j = 0; j < part; ++j) expected[j] += 3 * values[j];
    std::copy_n(expected.begin(), part, expected.begin() + part);
    std::fill_n(expected.begin(), 4, i);
  }
  return compare(session, y, expected);
}

struct Kernel {
  std::string_view name;
  Result<std::string> (*run)(Session&);
};

constexpr std::array<Kernel, 6> kKernels = {{{"parts", check_parts},
                                             {"steps", check_steps},
                                             {"sums", check_sums},
                                             {"histogram", check_histogram},
                                             {"ping_pong", check_ping_pong},
                                             {"transfers", check_transfers}}};

Result<Check> run_check(const std::shared_ptr<backend::Device>& device, const Kernel& kernel, LaunchMode mode) {
  VYRE_ASSIGN(Session session, Session::open(device, {.mode = mode, .watchdog = kWatchdog}));
  Check check{.kernel = std::string{kernel.name}, .mode = mode};
  const Result<std::string> found = kernel.run(session);
  if (found) {
    check.outcome = found->empty() ? Outcome::Right : Outcome::Wrong;
    check.detail = *found;
    return check;
  }
  const ErrorCode code = found.error().code;
  if (code == ErrorCode::DeviceLost || code == ErrorCode::TimedOut) {
    return in_context(Error{found.error()},
                      fmt::format("while checking kernel '{}' in mode {}", kernel.name, runtime::to_string(mode)));
  }
  check.outcome = code == ErrorCode::Unsupported ? Outcome::Refused : Outcome::Wrong;
  check.detail = fmt::format("{}: {}", to_string(code), found.error().message);
  return check;
}

}  // namespace

std::string_view to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::Right: return "right";
    case Outcome::Wrong: return "wrong";
    case Outcome::Refused: return "refused";
  }
  return "wrong";
}

Result<std::vector<Check>> run_checks(const std::shared_ptr<backend::Device>& device) {
  std::vector<Check> checks;
  for (const Kernel& kernel : kKernels) {
    for (const LaunchMode mode : runtime::kAllLaunchModes) {
      VYRE_ASSIGN(Check check, run_check(device, kernel, mode));
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

}  // namespace vyre::cli::survey
