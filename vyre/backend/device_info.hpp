#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/program/forms/form.hpp>

namespace vyre::backend {

enum class DeviceType : std::uint8_t { DiscreteGpu, IntegratedGpu, VirtualGpu, Cpu, Other };

/// `discrete-gpu` and the like.
[[nodiscard]] std::string_view to_string(DeviceType type) noexcept;

/// The limits of a device. `Device` refuses, by name, what exceeds them before a driver sees it.
struct Limits {
  std::uint64_t memory_bytes = 0;       ///< All buffers together.
  std::uint64_t max_buffer_bytes = 0;   ///< One buffer.
  std::uint64_t max_storage_range = 0;  ///< Bytes that one storage binding reaches.
  std::uint64_t max_uniform_range = 0;  ///< Bytes that one uniform binding reaches.
  std::uint32_t storage_alignment = 1;  ///< For the offset of a storage binding; a power of two.
  std::uint32_t uniform_alignment = 1;  ///< For the offset of a uniform binding; a power of two.
  std::uint32_t max_sets = 0;
  std::uint32_t max_storage_buffers = 0;  ///< In one program.
  std::uint32_t max_uniform_buffers = 0;  ///< In one program.
  std::uint32_t max_buffers = 0;          ///< In one program, storage and uniform together.
  std::uint32_t max_push_bytes = 0;
  std::array<std::uint32_t, 3> max_groups = {};
  std::array<std::uint32_t, 3> max_workgroup = {};
  std::uint32_t max_workgroup_invocations = 0;
  std::uint32_t max_shared_bytes = 0;
  /// The most bytes that all variables of one invocation may have together (`program::Kept` computes them). Drivers do
  /// not report this limit, and some end the process beyond it. The default is for unknown drivers; docs/drivers.md has
  /// the limits that were measured.
  std::uint64_t max_variable_bytes = std::uint64_t{64} << 10;
  /// The most bytes of an array, structure or matrix that is loaded, stored or passed as one value. Drivers do not
  /// report this limit either.
  std::uint64_t max_value_bytes = std::uint64_t{16} << 10;
  std::uint32_t subgroup_size = 1;
  std::uint32_t max_spirv_version = 0;  ///< 0x00010600 is 1.6.
  std::uint32_t max_timestamps = 0;     ///< In one list; 0 if the device has none.
  std::uint32_t queues = 1;

  friend bool operator==(const Limits&, const Limits&) = default;
};

/// Whether kernels can read the addresses of their buffers from a table instead of having each buffer bound.
enum class Bindless : std::uint8_t {
  Unsupported,  ///< No: every buffer is a binding.
  Static,       ///< Yes; the place of the table is fixed when a list is recorded.
  Full,         ///< Yes; tables can lie anywhere, and change between replays.
};

/// `unsupported`, `static` or `full`.
[[nodiscard]] std::string_view to_string(Bindless bindless) noexcept;

/// Which forms of programs a device runs, and how they must be made for it.
struct FormSupport {
  bool pointer_form = false;
  bool merged_form = false;
  bool persistent_form = false;
  bool chain_form = false;
  Bindless bindless = Bindless::Unsupported;
  /// The device silently ends an invocation after this number of iterations of all its loops; 0 for no limit.
  std::uint64_t max_iterations = 0;
  std::uint32_t fold = 0;   ///< One-launch forms run larger workgroups as this number of invocations; 0: as written.
  std::uint32_t lanes = 0;  ///< Loading a record is fastest if this number of invocations share it; 0: each alone.
  bool pairs = false;       ///< Whether it is faster to load and store vectors as words of 64 bits.
  std::uint32_t workgroups = 1;  ///< The number of workgroups of a persistent launch that can run at once.
  /// How many workgroups of a kernel a single workgroup of a chain or persistent launch may run: devices may end a
  /// launch that takes seconds.
  std::uint32_t turn_groups = 4096;
  program::Quirks quirks = {};

  [[nodiscard]] bool has(program::FormKind kind) const noexcept {
    switch (kind) {
      case program::FormKind::Descriptor: return true;
      case program::FormKind::Pointer: return pointer_form;
      case program::FormKind::Merged: return merged_form;
      case program::FormKind::Persistent: return persistent_form;
      case program::FormKind::Chain: return chain_form;
    }
    return false;
  }
  friend bool operator==(const FormSupport&, const FormSupport&) = default;
};

/// A device as its backend describes it. The description stays the same as long as the machine and its drivers do.
struct DeviceInfo {
  std::string backend = {};
  std::string name = {};
  DeviceType type = DeviceType::Other;
  std::string driver = {};  ///< Its name and version as a person knows them.
  std::string api = {};     ///< `Vulkan 1.3.230`
  /// `inline` or `threaded`, for a driver that runs kernels in one of several ways; empty for other drivers.
  std::string configuration = {};
  /// Identifies device, driver and configuration, so that measurements of another one are not used for it.
  std::string signature = {};
  Limits limits = {};
  std::vector<std::string> spirv_capabilities = {};     ///< Capabilities that programs may declare; sorted.
  std::vector<std::string> spirv_execution_modes = {};  ///< As `program::Interface` spells them; sorted.
  std::vector<std::string> spirv_extensions = {};       ///< `SPV_KHR_shader_clock` and the like; sorted.
  program::BlockLayout block_layout = program::BlockLayout::Standard;  ///< The loosest layout that the device supports.
  bool maps_device_memory = false;  ///< Whether buffers in device memory can be mapped.
  double timestamp_period_ns = 0;   ///< The nanoseconds of one tick of a timestamp.
  FormSupport forms = {};

  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;
};

}  // namespace vyre::backend
