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

/// The pipelines of a program on a device, which its sessions share: what one has compiled, another need not. They are
/// freed with the last that has them, which must not outlive the device.
///
/// Thread safety: all members may be called concurrently.
class SharedPipelines {
 public:
  SharedPipelines(backend::Device& device, program::Program program,
                  std::span<const program::spirv::SpecOverride> values);
  SharedPipelines(const SharedPipelines&) = delete;
  SharedPipelines& operator=(const SharedPipelines&) = delete;
  ~SharedPipelines();

  /// Those of a program and its values on a device: the same for all who ask while someone has them.
  [[nodiscard]] static std::shared_ptr<SharedPipelines> of(backend::Device& device, const program::Program& program,
                                                           std::span<const program::spirv::SpecOverride> values);

  /// The one in a form, compiled if it was not; whoever comes meanwhile waits. `Unsupported` if there is none.
  [[nodiscard]] Result<backend::PipelineHandle> get(program::FormKind form) { return get(form, false, {}); }
  /// The same; if it is compiled now, so is what the driver would leave for its first launch, which waits for what is
  /// pending, at most so long.
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
    std::mutex mutex;  // Held while it is compiled.
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
