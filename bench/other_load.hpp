#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>

namespace vyre::bench {

/// What other processes take of the cores meanwhile, which is what to doubt a measurement by on a shared machine.
class OtherLoad {
 public:
  OtherLoad() : begin_{now()} {}

  /// Since this was made, in cores: 0.5 is half of one all the time.
  [[nodiscard]] double cores() const {
    const Times end = now();
    // The system counts in ticks, our own time is exact.
    return std::max(0.0, (end.others_s - begin_.others_s) / (end.wall_s - begin_.wall_s));
  }

 private:
  struct Times {
    double wall_s = 0;
    double others_s = 0;
  };

  static Times now() {
    // Busy are all of the first line but the fourth and fifth, idle and waiting; guests, from the ninth on, are counted
    // among the first.
    std::ifstream file{"/proc/stat"};
    std::string name;
    file >> name;
    double ticks = 0;
    for (int i = 1; i <= 8; ++i) {
      double value = 0;
      file >> value;
      if (i != 4 && i != 5) ticks += value;
    }
    timespec own{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    const double own_s = static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) / 1e9;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
    return {.wall_s = wall.count(), .others_s = ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) - own_s};
  }

  Times begin_;
};

}  // namespace vyre::bench
