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

/// The pipelines of a program on a device. All sessions of the device share them, so that each is compiled once. They
/// are freed with the last session that uses the program. The device must outlive them.
///
/// Thread safety: all members may be called concurrently.
class SharedPipelines {
 public:
  SharedPipelines(backend::Device& device, program::Program program,
                  std::span<const program::spirv::SpecOverride> values);
  SharedPipelines(const SharedPipelines&) = delete;
  SharedPipelines& operator=(const SharedPipelines&) = delete;
  ~SharedPipelines();

  /// The pipelines of a program, with these values of its specialisation constants, on a device. All callers get the
  /// same object for as long as one of them keeps it.
  [[nodiscard]] static std::shared_ptr<SharedPipelines> of(backend::Device& device, const program::Program& program,
                                                           std::span<const program::spirv::SpecOverride> values);

  /// The pipeline in a form, compiled with the first call; concurrent callers wait for that. `Unsupported` if the
  /// program does not have the form.
  [[nodiscard]] Result<backend::PipelineHandle> get(program::FormKind form) { return get(form, false, {}); }
  /// The pipeline in a form; if this call compiles it, the work that drivers put off until the first launch is done
  /// too. That waits for pending work, at most for `timeout`.
  [[nodiscard]] Result<backend::PipelineHandle> get_warm(program::FormKind form, std::chrono::nanoseconds timeout) {
    return get(form, true, timeout);
  }
  /// Whether a form is compiled.
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
