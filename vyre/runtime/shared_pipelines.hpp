#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/program/program.hpp>

namespace vyre::runtime {

/// The pipelines of a program on a device, shared by all sessions of the device, so that each pipeline is compiled
/// once. They are freed when the last session that uses the program ends. The device must outlive them.
///
/// Thread safety: all members may be called concurrently.
class SharedPipelines {
 public:
  SharedPipelines(backend::Device& device, program::Program program,
                  std::span<const program::spirv::SpecOverride> values);
  SharedPipelines(const SharedPipelines&) = delete;
  SharedPipelines& operator=(const SharedPipelines&) = delete;
  ~SharedPipelines();

  /// The pipelines of a program with these values of its specialisation constants. As long as one caller keeps the
  /// object, all callers get the same one.
  [[nodiscard]] static std::shared_ptr<SharedPipelines> of(backend::Device& device, const program::Program& program,
                                                           std::span<const program::spirv::SpecOverride> values);

  /// The pipeline in a form. The first call compiles it, and concurrent calls wait for that. `Unsupported` if the
  /// program does not have the form.
  [[nodiscard]] Result<backend::PipelineHandle> get(program::FormKind form) { return get(form, false, {}); }
  /// The pipeline in a form. If this call compiles it, it is also launched once, with no workgroups, for drivers that
  /// compile at the first launch. That waits for pending work, for `timeout` at most.
  [[nodiscard]] Result<backend::PipelineHandle> get_warm(program::FormKind form, std::chrono::nanoseconds timeout) {
    return get(form, true, timeout);
  }
  /// Whether the pipeline in a form has been compiled.
  [[nodiscard]] bool has(program::FormKind form) const noexcept {
    return slots_[static_cast<std::size_t>(form)].is_compiled;
  }

  [[nodiscard]] bool is_of(const program::Program& program,
                           std::span<const program::spirv::SpecOverride> values) const noexcept;

 private:
  struct Slot {
    std::mutex mutex;  // Held while the pipeline is compiled.
    backend::PipelineHandle pipeline = {};
    std::atomic<bool> is_compiled = false;
  };

  [[nodiscard]] Result<backend::PipelineHandle> get(program::FormKind form, bool warm,
                                                    std::chrono::nanoseconds timeout);

  backend::Device& device_;
  program::Program program_;
  std::vector<program::spirv::SpecOverride> values_;
  std::array<Slot, std::size(program::kAllForms)> slots_;
};

}  // namespace vyre::runtime
