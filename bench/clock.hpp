#pragma once

#include <chrono>
#include <ctime>

namespace vyre::bench {

/// The time that passed, or the processor time of all threads of the process. Inline, where one core does everything,
/// processor time is what would have passed if no other process had been there.
struct Clock {
  bool is_cpu = false;

  [[nodiscard]] double now_ns() const {
    if (!is_cpu) {
      return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  }
};

}  // namespace vyre::bench
