#include <vyre/runtime/tuner.hpp>

#include <charconv>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/choice/calibration_bytes.hpp>
#include <vyre/choice/kernel_bytes.hpp>
#include <vyre/runtime/calibrate.hpp>
#include <vyre/runtime/device_state.hpp>
#include <vyre/runtime/learned.hpp>

namespace vyre::runtime {
namespace {

constexpr const char* kKernel = "kernel";

/// How long times are believed: drivers keep their version, but the kernel of the system and its settings
/// change.
constexpr std::int64_t kBelievedS = std::int64_t{7} * 24 * 3'600;

std::string to_text(const choice::KernelTimes::Key& key) {
  return fmt::format("{:016x}/{}", key.program, key.size_class);
}

/// A number that is a whole text.
template <typename T>
bool parse(std::string_view text, int base, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<choice::KernelTimes::Key> to_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  choice::KernelTimes::Key key;
  if (slash == std::string_view::npos || !parse(text.substr(0, slash), 16, key.program) ||
      !parse(text.substr(slash + 1), 10, key.size_class)) {
    return std::nullopt;
  }
  return key;
}

store::EntryName calibration_of(const std::string& scope) { return {.kind = "calibration", .scope = scope}; }

}  // namespace

Tuner::Tuner() : learned_{std::make_unique<Learned>()} {}
Tuner::~Tuner() { save(); }

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
  recall_kernels();
  const std::optional<store::Entry> entry = store_->find(calibration_of(scope_), choice::kCalibrationVersion);
  if (!entry || store_->now_s() - entry->written_s > kBelievedS) return;
  const std::optional<choice::Calibration> calibration = choice::to_calibration(entry->value);
  if (calibration) std::ignore = set(*calibration);
}

void Tuner::recall_kernels() {
  for (const store::Entry& entry : store_->find_all(kKernel, scope_, choice::kKernelVersion)) {
    if (store_->now_s() - entry.written_s > kBelievedS) continue;
    const std::optional<choice::KernelTimes::Key> key = to_key(entry.name.key);
    const std::optional<choice::KernelTimes::Times> times = choice::to_kernel_times(entry.value);
    if (key && times) learned_->recall(*key, *times);
  }
}

void Tuner::save() const {
  if (store_ == nullptr || !store_->can_write()) return;
  learned_->kernels().for_each([&](const auto& key, const choice::KernelTimes::Times& times) {
    const store::EntryName name{.kind = kKernel, .scope = scope_, .key = to_text(key)};
    std::vector<std::byte> bytes = to_bytes(times);
    // What did not change keeps its age.
    const std::optional<store::Entry> kept = store_->find(name, choice::kKernelVersion);
    if (!kept || kept->value != bytes) store_->put(name, choice::kKernelVersion, std::move(bytes));
  });
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
