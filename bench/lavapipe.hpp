#pragma once

#include <malloc.h>
#include <sched.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include <backends/vulkan/vulkan_backend.hpp>
#include <vyre/backend/device.hpp>

#include "bench/must.hpp"

namespace vyre::bench {

/// Makes turns comparable: the C library does not give memory back and forth between them, which falls on whoever
/// comes first.
inline void keep_memory() {
  constexpr int kBytes = 256 << 20;
  mallopt(M_TRIM_THRESHOLD, kBytes);
  mallopt(M_MMAP_THRESHOLD, kBytes);
}

/// Opens the best Vulkan device with lavapipe inline or as it comes, and says which it is.
///
/// Inline, the process stays on one core, where the driver's thread takes turns with ours: on several it depends on
/// where the system puts the threads of each side, which makes one or the other look three times as slow. `wrap` may
/// put a decorator before the driver.
inline std::shared_ptr<backend::Device> open_lavapipe(
    bool is_inline, const backend::DeviceOptions& options = {},
    const std::function<std::unique_ptr<backend::DeviceDriver>(std::unique_ptr<backend::DeviceDriver>)>& wrap = {}) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (std::size_t i = 0; i < (is_inline ? 1 : CPU_SETSIZE); ++i) CPU_SET(i, &cores);
  sched_setaffinity(0, sizeof(cores), &cores);
  // The driver reads this when the instance is made.
  if (is_inline) {
    setenv("LP_NUM_THREADS", "0", 1);
  } else {
    unsetenv("LP_NUM_THREADS");
  }
  const std::unique_ptr<backend::Backend> backend = backends::vulkan::make_vulkan_backend();
  const backend::DeviceInfo info = must(backend->devices()).front();
  std::shared_ptr<backend::Device> device =
      wrap ? std::make_shared<backend::Device>(wrap(must(backend->open(info, options))), options)
           : std::shared_ptr<backend::Device>{must(backend::Device::open(*backend, info, options))};
  fmt::print("\n{}, {}{}\n", device->info().name, device->info().configuration,
             options.robust ? "" : ", without checks");
  return device;
}

}  // namespace vyre::bench
