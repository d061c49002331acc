#include "cli/job/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli::job {

Progress::Progress(bool enabled) {
  if (enabled) thread_ = std::thread{[this] { show(); }};
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock{mutex_};
    is_ended_ = true;
  }
  ended_.notify_all();
  thread_.join();
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::begin(std::string what, std::uint64_t total) {
  const std::scoped_lock lock{mutex_};
  what_ = std::move(what);
  total_ = total;
  done_ = 0;
}

void Progress::show() {
  using namespace std::chrono_literals;
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock{mutex_};
  for (auto pause = 1'000ms; !ended_.wait_for(lock, pause, [this] { return is_ended_; }); pause = 200ms) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    std::string line = fmt::format("\r\x1b[K{:.1f} s  {}", elapsed.count(), what_);
    if (total_ > 0) {
      const std::uint64_t done = std::min(done_.load(), total_);
      line += fmt::format("  {} of {} ({:.0f}%)", done, total_,
                          100.0 * static_cast<double>(done) / static_cast<double>(total_));
    }
    std::fputs(line.c_str(), stderr);
    is_shown_ = true;
  }
}

}  // namespace vyre::cli::job
