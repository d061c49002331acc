#include <vyre/runtime/tuner.hpp>

#include <tuple>
#include <utility>

#include <vyre/choice/calibration_bytes.hpp>
#include <vyre/runtime/calibrate.hpp>
#include <vyre/runtime/device_state.hpp>
#include <vyre/runtime/learned.hpp>

namespace vyre::runtime {
namespace {

/// How long a calibration is believed: drivers keep their version, but the kernel of the system and its settings
/// change.
constexpr std::int64_t kBelievedS = std::int64_t{7} * 24 * 3'600;

store::EntryName calibration_of(const std::string& scope) { return {.kind = "calibration", .scope = scope}; }

}  // namespace

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
  if (!is_done) return std::unexpected{std::move(is_done).error()};
  VYRE_TRY(set(ended->result()));
  if (store_ != nullptr) store_->put(calibration_of(scope_), choice::kCalibrationVersion, to_bytes(ended->result()));
  return {};
}

void Tuner::keep_in(std::shared_ptr<store::Store> store, std::string scope) {
  store_ = std::move(store);
  scope_ = std::move(scope);
  const std::optional<store::Entry> entry = store_->find(calibration_of(scope_), choice::kCalibrationVersion);
  if (!entry || store_->now_s() - entry->written_s > kBelievedS) return;
  const std::optional<choice::Calibration> calibration = choice::to_calibration(entry->value);
  if (calibration) std::ignore = set(*calibration);
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
