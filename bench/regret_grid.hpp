#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <vyre/runtime/session.hpp>
#include <vyre/runtime/tuner.hpp>

/// Workloads by which launch modes are compared with one another and with the one that is chosen.
namespace vyre::bench {

enum class Pattern : std::uint8_t { Independent, Chained, PingPong, FanOut, FanIn };
inline constexpr std::array kPatterns = {Pattern::Independent, Pattern::Chained, Pattern::PingPong, Pattern::FanOut,
                                         Pattern::FanIn};

/// Batches of dispatches of one kernel, so many times, then waiting for all of them.
struct Workload {
  Pattern pattern = Pattern::Independent;
  std::uint32_t dispatches = 1;
  std::uint32_t kernel = 0;  ///< An index into the kernels.
  bool is_same = true;       ///< Whether every batch has the buffers and parameters of the one before.
  std::uint32_t times = 1;

  friend bool operator==(const Workload&, const Workload&) = default;
};

/// `1000 independent tiny, same, 10 times`
[[nodiscard]] std::string to_string(const Workload& workload);

struct Kernel {
  std::string name = {};
  program::Program program;
  std::uint32_t groups = 1;
  double about_ns = 0;  ///< What one dispatch takes, roughly: too long runs are left out.
};

/// The kernels of the grid: nothing, and up to a millisecond.
[[nodiscard]] std::vector<Kernel> make_kernels();

/// Of all combinations those whose run takes at most a tenth of a second, kernels and launches together.
[[nodiscard]] std::vector<Workload> make_grid(const std::vector<Kernel>& kernels, double launch_ns);

/// A session with what workloads need.
class WorkloadRunner {
 public:
  WorkloadRunner(const std::shared_ptr<backend::Device>& device, const runtime::SessionOptions& options,
                 const std::vector<Kernel>& kernels);

  /// Runs it once and gives the time on the device's clock. The report, too, if it is wanted.
  double run(const Workload& workload, report::RunReport* report = nullptr);
  /// The part of the last run that enqueued its first batch, before anything was launched.
  [[nodiscard]] double enqueue_ns() const noexcept { return enqueue_ns_; }
  [[nodiscard]] runtime::Session& session() noexcept { return session_; }

 private:
  void enqueue(const Workload& workload);

  const std::vector<Kernel>& kernels_;
  runtime::Session session_;
  runtime::BufferView data_;
  std::uint32_t round_ = 0;
  double enqueue_ns_ = 0;
  std::vector<std::array<runtime::BufferView, 2>> views_;
  std::vector<runtime::DispatchItem> items_;
};

}  // namespace vyre::bench
