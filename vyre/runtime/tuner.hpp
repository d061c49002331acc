#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/policy/dispatch_policy.hpp>
#include <vyre/report/choice_report.hpp>
#include <vyre/store/store.hpp>

namespace vyre::runtime {

class Calibrator;
class Learned;

/// What vyre has measured of a device: calibration, estimates of launch modes, times of kernels. The interface for
/// users. All sessions on a device share a tuner.
///
/// Thread safety: all members may be called concurrently.
class Tuner {
 public:
  Tuner();
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// The tuner that the sessions of a device share. The first call makes it; it ends with the device.
  [[nodiscard]] static std::shared_ptr<Tuner> of(backend::Device& device);

  /// Calibrates the device, unless that was done. Concurrent calls wait for the one that measures.
  ///
  /// With a budget, a call measures for about that time, and further calls continue; concurrent calls then return at
  /// once. A device that cannot be opened a second time is calibrated in one call, whatever the budget.
  [[nodiscard]] Result<void> calibrate(backend::Device& device, std::chrono::nanoseconds timeout,
                                       std::uint64_t budget_ns = std::numeric_limits<std::uint64_t>::max());
  /// Sets the calibration instead of measuring it. `InvalidArgument`, naming the first time or ratio that is not
  /// finite.
  [[nodiscard]] Result<void> set(const choice::Calibration& calibration);
  [[nodiscard]] std::optional<choice::Calibration> calibration() const;
  [[nodiscard]] bool is_calibrated() const noexcept;

  /// Keeps what is learned in a store, as entries for `scope`, which names device and host (`scope_of`). Takes over
  /// what an earlier process kept there, unless it is older than a week. Call it before the first session is opened.
  void keep_in(std::shared_ptr<store::Store> store, std::string scope);
  /// Puts the times of kernels into the store. The destructor does it, too.
  void save() const;

  /// The known shapes, the most recently used first.
  [[nodiscard]] std::vector<std::uint64_t> shapes() const;
  /// Everything learned of a shape, but without the names of its programs. Nothing if the shape is not known.
  [[nodiscard]] std::optional<report::ShapeReport> report(std::uint64_t shape) const;
  [[nodiscard]] report::PredictionErrors errors() const;
  /// Whether no further trial of a shape is worth its cost.
  [[nodiscard]] bool is_settled(std::uint64_t shape) const;
  /// Replaces `policy::evaluate_dispatch_policy`, for sessions that are opened afterwards: they launch what `policy`
  /// answers. If it says that operations are independent which are not, results will be wrong.
  void set_policy(policy::Evaluate policy);

  /// For the stages of a session.
  [[nodiscard]] Learned& learned() const noexcept { return *learned_; }

 private:
  void recall_kernels();

  std::unique_ptr<Learned> learned_;
  std::shared_ptr<store::Store> store_;  // Null if nothing is kept.
  std::string scope_;
  std::mutex calibrating_;
  std::unique_ptr<Calibrator> calibrator_;       // A calibration that is half done,
  const backend::Device* calibrated_ = nullptr;  // and its device.
};

}  // namespace vyre::runtime
