#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/policy/dispatch_policy.hpp>
#include <vyre/report/choice_report.hpp>

namespace vyre::runtime {

class Calibrator;
class Learned;

/// Everything learned of a device, for programs: sessions on one device share one.
///
/// Thread safety: all members may be called concurrently.
class Tuner {
 public:
  Tuner();
  ~Tuner();
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// The tuner of a device: made with the first call and gone with the device.
  [[nodiscard]] static std::shared_ptr<Tuner> of(backend::Device& device);

  /// Measures the device unless that was done. A second caller waits meanwhile. With a budget a part of it is measured,
  /// in about that time, and further calls go on; a second caller does not wait then. A device that cannot be opened
  /// once more is measured at once, whatever the budget.
  [[nodiscard]] Result<void> calibrate(backend::Device& device, std::chrono::nanoseconds timeout,
                                       std::uint64_t budget_ns = std::numeric_limits<std::uint64_t>::max());
  /// Takes a calibration. `InvalidArgument`, naming the first time or ratio that is not finite.
  [[nodiscard]] Result<void> set(const choice::Calibration& calibration);
  [[nodiscard]] std::optional<choice::Calibration> calibration() const;
  [[nodiscard]] bool is_calibrated() const noexcept;

  /// The shapes that are known; the shape that was used last comes first.
  [[nodiscard]] std::vector<std::uint64_t> shapes() const;
  /// Everything learned of a shape, without the names of its programs; nothing if the shape is not known.
  [[nodiscard]] std::optional<report::ShapeReport> report(std::uint64_t shape) const;
  [[nodiscard]] report::PredictionErrors errors() const;
  /// Whether no trial of a shape is expected to pay.
  [[nodiscard]] bool is_settled(std::uint64_t shape) const;
  /// Puts another policy in the place of `policy::evaluate_dispatch_policy`: its verdicts are launched, by sessions
  /// that are opened afterwards. A policy that calls operations independent which are not makes results wrong.
  void set_policy(policy::Evaluate policy);

  /// For the stages of a session.
  [[nodiscard]] Learned& learned() const noexcept { return *learned_; }

 private:
  std::unique_ptr<Learned> learned_;
  std::mutex calibrating_;
  std::unique_ptr<Calibrator> calibrator_;       // Of a calibration that is half done,
  const backend::Device* calibrated_ = nullptr;  // and the device it is for.
};

}  // namespace vyre::runtime
