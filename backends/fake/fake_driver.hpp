#pragma once

#include <memory>

#include <backends/fake/fake_backend.hpp>
#include <vyre/backend/driver.hpp>

namespace vyre::backends::fake {

[[nodiscard]] std::unique_ptr<backend::DeviceDriver> make_fake_driver(std::shared_ptr<const FakeOptions> options,
                                                                      backend::DeviceInfo info,
                                                                      const backend::DeviceOptions& device_options);

}  // namespace vyre::backends::fake
