#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <vyre/backend/device.hpp>

#include "tests/conformance/programs.hpp"
#include "tests/conformance/suite.hpp"

namespace vyre::tests {

using backend::BufferDesc;
using backend::BufferHandle;
using backend::BufferRange;
using backend::CommandList;
using backend::Device;
using backend::DeviceOptions;
using backend::DeviceUsage;
using backend::Limits;
using backend::Memory;
using backend::PipelineHandle;
using backend::RecordingHandle;
using backend::RecordOptions;
using backend::Ticket;
using program::spirv::SpecOverride;

[[noreturn]] void stop_test(const Error& error, std::source_location where);

/// The value, or the end of the test with the error as its reason.
template <typename T>
T must(Result<T> result, std::source_location where = std::source_location::current()) {
  if (!result) stop_test(result.error(), where);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Whether an error has a code, and a message that holds all the parts.
[[nodiscard]] testing::AssertionResult is_refusal(const Error& error, ErrorCode code,
                                                  std::initializer_list<std::string> parts);

/// Whether something was refused with a code, and a message that holds all the parts.
template <typename T>
[[nodiscard]] testing::AssertionResult is_refused(const Result<T>& result, ErrorCode code,
                                                  std::initializer_list<std::string> parts = {}) {
  if (result) return testing::AssertionFailure() << "it was not refused";
  return is_refusal(result.error(), code, parts);
}

/// A value and the limit that it passes, as messages write them.
[[nodiscard]] inline std::string text(std::uint64_t number) { return std::to_string(number); }

template <typename T>
[[nodiscard]] std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span{values});
}

/// Bytes that depend on the seed alone.
[[nodiscard]] std::vector<std::byte> random_bytes(std::size_t count, std::uint32_t seed);

/// A device of the backend that the test is for, opened anew for every test inside the checking driver.
///
/// What is made through the fixture is freed at the end; then nothing may be left.
class Conformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] const Limits& limits() { return device_->info().limits; }
  [[nodiscard]] bool has_capability(std::string_view name) const;
  /// Closes the device, as at the end of a test, and opens it with other options.
  void reopen(const DeviceOptions& options);

  BufferHandle allocate(std::uint64_t size, Memory memory = Memory::Device);
  template <typename T>
  BufferHandle allocate_with(const std::vector<T>& values, Memory memory = Memory::Device) {
    const BufferHandle buffer = allocate(values.size() * sizeof(T), memory);
    must(device().write(buffer, 0, bytes_of(values)));
    return buffer;
  }
  PipelineHandle compile(const program::Program& program, std::span<const SpecOverride> values = {});
  PipelineHandle compile(std::string_view program) { return compile(suite_program(program)); }
  PipelineHandle compile(const program::Program& program, program::FormKind form);
  PipelineHandle compile(std::string_view program, program::FormKind form) {
    return compile(suite_program(program), form);
  }
  RecordingHandle record(const CommandList& list, const RecordOptions& options = {});

  /// The first elements of a buffer, all work done.
  template <typename T>
  std::vector<T> contents(BufferHandle buffer, std::size_t count) {
    std::vector<T> values(count);
    must(device().wait_idle());
    must(device().read(buffer, 0, std::as_writable_bytes(std::span{values})));
    return values;
  }
  std::vector<std::uint32_t> words(BufferHandle buffer, std::size_t count) {
    return contents<std::uint32_t>(buffer, count);
  }

  /// Submits a list and waits for it.
  void run(const CommandList& list);
  /// A dispatch that takes a while: 1 ms of virtual time, or some 100 ms of real time. Writes `spun(1)` to the buffer.
  void add_spin(CommandList& list, BufferHandle target);

 private:
  void open(const DeviceOptions& options);
  void close();

  backend::DeviceInfo info_;
  std::unique_ptr<Device> device_;
  std::vector<BufferHandle> buffers_;
  std::vector<PipelineHandle> pipelines_;
  std::vector<RecordingHandle> recordings_;
  // Set while a test runs that is expected to fail.
  testing::TestPartResultArray failures_;
  std::unique_ptr<testing::ScopedFakeTestPartResultReporter> interceptor_;
};

}  // namespace vyre::tests
