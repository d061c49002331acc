#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <utility>

#include <backends/fake/driver_rig.hpp>
#include <vyre/plan/batch.hpp>
#include <vyre/runtime/buffer_table.hpp>
#include <vyre/runtime/compiled_program.hpp>
#include <vyre/runtime/dispatch_check.hpp>
#include <vyre/runtime/program_table.hpp>

namespace vyre::tests {

/// A kernel that adds `bias` to every number of `from` and puts the sums into `to`.
[[nodiscard]] const program::Program& add_program();
/// A kernel that multiplies every number of `data` by the constant `factor`, which is 2 unless it is specialised.
[[nodiscard]] const program::Program& scale_program();
/// A fake device that runs both.
[[nodiscard]] backends::fake::FakeOptions with_kernels(backends::fake::FakeOptions options = {});

/// A fake device and the tables of a session on it: what the test of a single stage begins with.
struct StageRig {
  explicit StageRig(backends::fake::FakeOptions options = {}, const backend::DeviceOptions& device_options = {})
      : device{backends::fake::open_fake(with_kernels(std::move(options)), device_options), device_options} {}

  /// Allocates a buffer of this many bytes and adds it to the table.
  [[nodiscard]] runtime::BufferView buffer(std::uint64_t bytes) {
    const backend::BufferHandle handle = device.allocate({.size = bytes}).value();
    const auto mapped = device.map(handle);
    return buffers.insert(handle, bytes, mapped ? mapped->data() : nullptr);
  }
  /// Compiles a program and gives its number.
  [[nodiscard]] std::uint32_t add(const program::Program& program,
                                  std::span<const program::spirv::SpecOverride> values = {}) {
    return programs.insert(runtime::compile_program(device, program, values, programs.form()).value(), {});
  }
  /// A dispatch of a program, checked. It holds until the next one.
  [[nodiscard]] runtime::CheckedDispatch dispatch(std::uint32_t program, std::initializer_list<runtime::Argument> views,
                                                  const runtime::DispatchOptions& options = {}) {
    Result<runtime::CheckedDispatch> checked =
        check.check(programs[program], program, buffers, {views.begin(), views.size()}, options);
    if (!checked) throw std::invalid_argument{to_string(checked.error())};
    return *checked;
  }
  /// Adds a dispatch to a batch.
  void gather(plan::Batch& batch, const runtime::CheckedDispatch& dispatch) const {
    batch.add_dispatch(dispatch.program, programs[dispatch.program].pipeline, dispatch.ranges, dispatch.groups,
                       dispatch.params, dispatch.hash);
  }
  /// The numbers in a buffer that the host sees.
  [[nodiscard]] std::span<std::uint32_t> numbers(const runtime::BufferView& view) {
    return {reinterpret_cast<std::uint32_t*>(buffers[view.index].mapped + view.offset), view.size / 4};
  }

  backend::Device device;
  runtime::BufferTable buffers{7};
  runtime::ProgramTable programs{4, program::FormKind::Descriptor};
  runtime::DispatchCheck check{device.info().limits};
};

}  // namespace vyre::tests
