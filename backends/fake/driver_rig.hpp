#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <backends/fake/fake_backend.hpp>
#include <vyre/backend/driver.hpp>

namespace vyre::backends::fake {

/// A driver with the tables that a device would keep for it. For tests of drivers alone.
struct DriverRig {
  explicit DriverRig(std::unique_ptr<backend::DeviceDriver> with) : driver{std::move(with)} {}

  [[nodiscard]] backend::BufferHandle buffer(std::uint64_t size, backend::Memory memory = backend::Memory::Readback) {
    const backend::BufferDesc desc{.size = size, .memory = memory};
    return buffers.insert({.object = driver->allocate(desc).value(), .desc = desc}).value();
  }

  [[nodiscard]] backend::PipelineHandle pipeline(const program::Program& program,
                                                 std::span<const program::spirv::SpecOverride> values = {}) {
    auto made = driver->compile({.program = program, .interface = program.interface(), .values = values, .slots = {}});
    return pipelines.insert({.object = std::move(made).value(), .program = program, .rules = {}}).value();
  }

  [[nodiscard]] Result<backend::RecordingPtr> record(const backend::CommandList& list,
                                                     backend::Reuse reuse = backend::Reuse::Many) {
    return driver->record({.list = list, .buffers = buffers, .pipelines = pipelines}, reuse);
  }

  [[nodiscard]] Result<void> launch(backend::DriverRecording& recording, backend::Ticket ticket,
                                    std::span<const backend::Ticket> after) {
    return driver->launch(std::array{&recording}, ticket, after);
  }

  /// The bytes of a mapped buffer as numbers.
  template <typename T>
  [[nodiscard]] std::span<T> numbers(backend::BufferHandle handle) {
    const backend::BufferEntry& entry = buffers.at(handle);
    return {reinterpret_cast<T*>(entry.object->mapped), entry.desc.size / sizeof(T)};
  }

  std::unique_ptr<backend::DeviceDriver> driver;
  backend::BufferTable buffers;
  backend::PipelineTable pipelines;
};

[[nodiscard]] inline std::unique_ptr<backend::DeviceDriver> open_fake(FakeOptions options = {},
                                                                      const backend::DeviceOptions& device = {}) {
  const std::unique_ptr<backend::Backend> backend = make_fake_backend(std::move(options));
  return backend->open(backend->devices().value().front(), device).value();
}

}  // namespace vyre::backends::fake
