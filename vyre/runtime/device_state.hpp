#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/runtime/shared_pipelines.hpp>
#include <vyre/runtime/tuner.hpp>

namespace vyre::runtime {

/// What the sessions of a device share, which lives as long as that.
struct DeviceState final : backend::Attachment {
  std::shared_ptr<Tuner> tuner = std::make_shared<Tuner>();
  std::mutex mutex;                                       // For what follows.
  std::vector<std::weak_ptr<SharedPipelines>> pipelines;  // Of programs that some session has.

  [[nodiscard]] static DeviceState& of(backend::Device& device) { return device.attachment<DeviceState>(); }
};

}  // namespace vyre::runtime
