#include <vyre/runtime/tuner.hpp>

#include <vyre/runtime/calibrate.hpp>
#include <vyre/runtime/device_state.hpp>
#include <vyre/runtime/learned.hpp>

namespace vyre::runtime {

Tuner::Tuner() : learned_{std::make_unique<Learned>()} {}
Tuner::~Tuner() = default;

std::shared_ptr<Tuner> Tuner::of(backend::Device& device) { return DeviceState::of(device).tuner; }

Result<void> Tuner::calibrate(backend::Device& device, std::chrono::nanoseconds timeout, std::uint64_t budget_ns) {
  constexpr std::uint64_t kAtOnce = std::numeric_limits<std::uint64_t>::max();
  std::unique_lock one{calibrating_, std::defer_lock};
  if (budget_ns == kAtOnce) {
    one.lock();
  } else if (!one.try_lock()) {
    return {};
  }
  if (is_calibrated()) return {};
  if (calibrator_ == nullptr || calibrated_ != &device) calibrator_ = std::make_unique<Calibrator>(device, timeout);
  calibrated_ = &device;
  const std::uint64_t begin = device.now_ns();
  Result<bool> is_done = false;
  do {
    is_done = calibrator_->advance(budget_ns);
    if (!calibrator_->has_own_device()) budget_ns = kAtOnce;
  } while (is_done && !*is_done && budget_ns == kAtOnce);
  learned_->note_calibrating(device.now_ns() - begin);
  if (is_done && !*is_done) return {};
  const std::unique_ptr<Calibrator> ended = std::move(calibrator_);
  return is_done ? set(ended->result()) : std::unexpected{std::move(is_done).error()};
}

Result<void> Tuner::set(const choice::Calibration& calibration) { return learned_->set(calibration); }
std::optional<choice::Calibration> Tuner::calibration() const { return learned_->calibration(); }
bool Tuner::is_calibrated() const noexcept { return learned_->is_calibrated(); }
std::vector<std::uint64_t> Tuner::shapes() const { return learned_->shapes(); }
std::optional<report::ShapeReport> Tuner::report(std::uint64_t shape) const { return learned_->report(shape); }
report::PredictionErrors Tuner::errors() const { return learned_->errors(); }
bool Tuner::is_settled(std::uint64_t shape) const { return learned_->is_settled(shape); }
void Tuner::set_policy(policy::Evaluate policy) { learned_->set_policy(policy); }

}  // namespace vyre::runtime
