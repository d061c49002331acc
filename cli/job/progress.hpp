#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace vyre::cli::job {

/// A line on a terminal that shows the progress of work after its first second, and is erased when this object ends.
class Progress {
 public:
  /// Nothing is shown unless `enabled`, nor is a thread started.
  explicit Progress(bool enabled);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Begins another part of the work. `total` of 0 is unknown.
  void begin(std::string what, std::uint64_t total = 0);
  void advance(std::uint64_t count) noexcept { done_.fetch_add(count, std::memory_order_relaxed); }

 private:
  void show();

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  bool is_shown_ = false;
  std::string what_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::thread thread_;
};

}  // namespace vyre::cli::job
