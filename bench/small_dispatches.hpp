#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <vyre/runtime/session.hpp>

#include "bench/jobs.hpp"
#include "bench/must.hpp"
#include "bench/saxpy.hpp"

namespace vyre::bench {

/// Small dispatches that do not depend on one another, each with its own views, in a session.
class SmallDispatches {
 public:
  static constexpr std::uint32_t kWidth = 64;
  static constexpr std::uint64_t kViewBytes = kWidth * sizeof(float);
  struct Params {
    float scale = 0.5F;
    std::uint32_t count = kWidth;
  };

  SmallDispatches(const DevicePtr& device, std::uint32_t count, const runtime::SessionOptions& options)
      : kernel_{compile_kernel(kSaxpy, "saxpy")},
        session_{must(runtime::Session::open(device, options))},
        x_{must(session_.buffer<float>(std::uint64_t{kWidth} * count))},
        y_{must(session_.buffer<float>(std::uint64_t{kWidth} * count))} {
    for (std::uint64_t i = 0; i < count; ++i) {
      pairs_.push_back({x_.part(i * kWidth, kWidth), y_.part(i * kWidth, kWidth)});
    }
    for (const auto& pair : pairs_) items_.push_back({.buffers = pair, .params = runtime::params_block(Params{})});
  }

  /// Launches some of them as one batch.
  runtime::SessionTicket launch(std::size_t first, std::size_t count) {
    must(session_.dispatch_many(kernel_, std::span{items_}.subspan(first, count)));
    return must(session_.flush());
  }
  void wait(const runtime::SessionTicket& ticket) { must(session_.wait(ticket)); }
  [[nodiscard]] runtime::Session& session() noexcept { return session_; }

 private:
  program::Program kernel_;
  runtime::Session session_;
  runtime::Buffer<float> x_;
  runtime::Buffer<float> y_;
  std::vector<std::array<runtime::BufferView, 2>> pairs_;
  std::vector<runtime::DispatchItem> items_;
};

}  // namespace vyre::bench
