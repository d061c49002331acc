#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <vyre/backend/device.hpp>

#include "bench/recording.hpp"
#include "bench/regret_grid.hpp"

namespace vyre::bench {

/// Measures workloads of the grid in every launch mode, for `bench_choice --replay`.
///
/// A launch mode is a session whose mode is pinned, with lists kept or not. In every round each mode runs for a block
/// of some batches, in another order each time, so that a recording has consecutive batches of one mode as well as
/// neighbours in different modes.
class Recorder {
 public:
  /// Calibrates the device, several times.
  explicit Recorder(const std::shared_ptr<backend::Device>& device);

  /// Nothing for a workload in which there is nothing to choose, and for one whose runs are too long.
  [[nodiscard]] std::optional<RecordedWorkload> record(const Workload& workload);
  /// Everything about the device; no workloads.
  [[nodiscard]] Recording head() const;

 private:
  struct Mode {
    choice::Way way = choice::Way::Batched;
    std::unique_ptr<WorkloadRunner> runner;
  };

  [[nodiscard]] RecordedRun run(Mode& mode, const Workload& workload) const;
  [[nodiscard]] bool describe(const Workload& workload, RecordedWorkload& recorded);

  std::shared_ptr<backend::Device> device_;
  std::vector<Kernel> kernels_;
  std::vector<Mode> modes_;
  std::unique_ptr<WorkloadRunner> auto_;  // Knows the shapes.
  choice::Calibration calibration_ = {};
  std::mt19937 random_{1};
  std::uint64_t begin_ns_ = 0;
};

}  // namespace vyre::bench
