#include "tests/conformance/conformance.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tests/conformance/conformance_lists.hpp"
#include "tests/kernels/data.hpp"

namespace vyre::tests {
namespace {

/// `ADispatchReachesEveryElement` for `Devices/Conformance.ADispatchReachesEveryElement/vulkan`.
std::string test_name() {
  const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  return name.substr(0, name.find('/'));
}

}  // namespace

void stop_test(const Error& error, std::source_location where) {
  throw std::runtime_error{fmt::format("{}:{}: {}", where.file_name(), where.line(), to_string(error))};
}

testing::AssertionResult is_refusal(const Error& error, ErrorCode code, std::initializer_list<std::string> parts) {
  if (error.code != code) {
    return testing::AssertionFailure() << "it should be " << to_string(code) << "\n" << to_string(error);
  }
  for (const std::string& part : parts) {
    if (error.message.find(part) == std::string::npos) {
      return testing::AssertionFailure() << "the message does not say '" << part << "'\n" << to_string(error);
    }
  }
  return testing::AssertionSuccess() << to_string(error);
}

std::vector<std::byte> random_bytes(std::size_t count, std::uint32_t seed) {
  std::vector<std::byte> bytes = kernels::to_bytes(kernels::words((count + 3) / 4, seed));
  bytes.resize(count);
  return bytes;
}

void Conformance::SetUp() {
  const std::string& backend = GetParam();
  const std::string test = test_name();
  if (!suite().is_selected(backend)) GTEST_SKIP() << "backend '" << backend << "' is not among --devices";
  if (const Exception* entry = find_exception(unsupported(), backend, test)) {
    GTEST_SKIP() << "unsupported: " << entry->reason;
  }
  auto found = suite().find_device(backend);
  if (!found && !suite().is_required(backend)) {
    GTEST_SKIP() << "backend '" << backend << "' has no device\n" << to_string(found.error());
  }
  info_ = must(std::move(found));
  if (find_exception(expected_to_fail(), backend, test) != nullptr) {
    interceptor_ = std::make_unique<testing::ScopedFakeTestPartResultReporter>(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures_);
  }
  open({});
}

void Conformance::TearDown() {
  if (device_ != nullptr) close();
  for (const std::string& message : suite().take_messages()) ADD_FAILURE() << "the driver says: " << message;
  if (interceptor_ == nullptr) return;
  interceptor_.reset();
  bool failed = false;
  for (int i = 0; i < failures_.size(); ++i) failed |= failures_.GetTestPartResult(i).failed();
  const Exception& entry = *find_exception(expected_to_fail(), GetParam(), test_name());
  if (failed) GTEST_SKIP() << "failed as expected: " << entry.reason;
  ADD_FAILURE() << "it passes, so take it off the list of those expected to fail: " << entry.reason;
}

bool Conformance::has_capability(std::string_view name) const {
  return std::ranges::find(info_.spirv_capabilities, name) != info_.spirv_capabilities.end();
}

void Conformance::open(const DeviceOptions& options) { device_ = must(suite().open(info_, options)); }

void Conformance::reopen(const DeviceOptions& options) {
  close();
  open(options);
}

void Conformance::close() {
  const auto free_all = [&](auto& handles) {
    for (const auto handle : handles) {
      const auto freed = device_->free(handle);
      // What the test freed itself is refused here, and that is well.
      EXPECT_TRUE(freed || freed.error().code == ErrorCode::InvalidArgument) << to_string(freed.error());
    }
    handles.clear();
  };
  free_all(recordings_);
  free_all(pipelines_);
  free_all(buffers_);
  const auto idle = device_->wait_idle();
  EXPECT_TRUE(idle) << to_string(idle.error());
  const DeviceUsage usage = device_->usage();
  EXPECT_TRUE(usage == DeviceUsage{}) << "left behind: " << usage.buffers << " buffers, " << usage.pipelines
                                      << " pipelines, " << usage.recordings << " recordings, " << usage.bytes
                                      << " bytes, " << usage.waiting << " objects that wait, " << usage.pending
                                      << " submissions";
  device_.reset();
}

BufferHandle Conformance::allocate(std::uint64_t size, Memory memory) {
  return buffers_.emplace_back(must(device().allocate({.size = size, .memory = memory})));
}

PipelineHandle Conformance::compile(const program::Program& program, std::span<const SpecOverride> values) {
  return pipelines_.emplace_back(must(device().compile(program, {.values = values})));
}

PipelineHandle Conformance::compile(const program::Program& program, program::FormKind form) {
  return pipelines_.emplace_back(must(device().compile(program, {.form = form})));
}

RecordingHandle Conformance::record(const CommandList& list, const RecordOptions& options) {
  return recordings_.emplace_back(must(device().record(list, options)));
}

void Conformance::run(const CommandList& list) { must(device().wait(must(device().submit(list)))); }

void Conformance::add_spin(CommandList& list, BufferHandle target) {
  const std::vector<std::uint32_t> params = {kSpinIterations, 1};
  const std::array ranges = {BufferRange{.buffer = target}};
  list.dispatch(compile("spin"), ranges, {kSpinGroups, 1, 1}, bytes_of(params));
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance, testing::Values("fake", "vulkan"),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace vyre::tests
