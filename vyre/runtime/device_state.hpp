#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/runtime/shared_pipelines.hpp>
#include <vyre/runtime/tuner.hpp>

namespace vyre::runtime {

/// State that all sessions of a device share: an attachment of the device.
struct DeviceState final : backend::Attachment {
  std::shared_ptr<Tuner> tuner = std::make_shared<Tuner>();
  std::mutex mutex;                                       // Guards `pipelines`.
  std::vector<std::weak_ptr<SharedPipelines>> pipelines;  // The pipelines of all programs that some session uses.

  [[nodiscard]] static DeviceState& of(backend::Device& device) { return device.attachment<DeviceState>(); }
};

}  // namespace vyre::runtime
