#include <vyre/runtime/tuner.hpp>

#include <vyre/runtime/calibrate.hpp>
#include <vyre/runtime/device_state.hpp>
#include <vyre/runtime/learned.hpp>

namespace vyre::runtime {

Tuner::Tuner() : learned_{std::make_unique<Learned>()} {}
Tuner::~Tuner() = default;

std::shared_ptr<Tuner> Tuner::of(backend::Device& device) { return DeviceState::of(device).tuner; }

Result<void> Tuner::calibrate(backend::Device& device, std::chrono::nanoseconds timeout) {
  const std::scoped_lock one{calibrating_};
  if (is_calibrated()) return {};
  VYRE_ASSIGN(const choice::Calibration measured, runtime::calibrate(device, timeout));
  return set(measured);
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
