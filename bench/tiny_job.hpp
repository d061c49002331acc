#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/forms_by_hand.hpp"
#include "bench/jobs.hpp"

namespace vyre::bench {

/// One way to do a job.
struct Version {
  std::string name = {};
  std::function<void()> run = {};
};

/// 1,000 saxpys of 64 invocations that do not depend on one another, each with its own views and parameters: by a
/// session, and in every sensible way by hand.
class TinyJob {
 public:
  explicit TinyJob(const DevicePtr& device, const runtime::SessionOptions& session_options = {});

  /// Each was checked. They must not outlive this.
  [[nodiscard]] std::vector<Version> by_hand();
  /// By hand: one list that is kept.
  void run_raw() { raw_.run(); }
  void run_raw_one_by_one() { raw_.run_one_by_one(); }
  runtime::RunReport run();
  /// Runs all three from the same beginning and compares every bit.
  [[nodiscard]] bool agree(const Version& version);
  [[nodiscard]] runtime::Session& session() noexcept { return session_; }

 private:
  void make_items();

  program::Program kernel_;
  SaxpyByHand saxpy_;
  RawList raw_;
  runtime::Session session_;
  runtime::Buffer<float> x_;
  runtime::Buffer<float> y_;
  std::vector<std::array<runtime::BufferView, 2>> pairs_;
  std::vector<runtime::DispatchItem> items_;
};

}  // namespace vyre::bench
