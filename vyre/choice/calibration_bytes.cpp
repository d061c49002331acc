#include <vyre/choice/calibration_bytes.hpp>

#include <cmath>

#include <vyre/base/bytes.hpp>

namespace vyre::choice {
namespace {

/// Adds or takes all values of a calibration, in one order. `visit` is called with each number, `bool` and text.
template <typename C, typename Visit>
void for_each_value(C& calibration, Visit visit) {
  const auto visit_line = [&](auto& line) {
    visit(line.fixed_ns);
    visit(line.slope_ns);
  };
  visit(calibration.device);
  visit(calibration.signature);
  for (auto& line : calibration.ways) visit_line(line);
  visit_line(calibration.record);
  visit_line(calibration.copy);
  visit(calibration.barrier_ns);
  for (auto& form : calibration.forms) {
    visit(form.narrow);
    visit(form.wide);
    visit(form.compile);
  }
  for (auto& has : calibration.has_form) visit(has);
  for (auto& line : calibration.timed) visit_line(line);
  visit(calibration.compile_ns);
  visit_line(calibration.bound);
  visit_line(calibration.table);
  visit(calibration.took_ns);
  visit(calibration.samples);
  visit(calibration.dropped);
}

}  // namespace

std::vector<std::byte> to_bytes(const Calibration& calibration) {
  ByteWriter writer;
  for_each_value(calibration, [&](const auto& value) {
    if constexpr (requires { writer.add(value); }) {
      writer.add(value);
    } else {
      writer.add_text(value);
    }
  });
  writer.add(calibration.bindless_crossover.has_value()).add(calibration.bindless_crossover.value_or(0));
  return writer.take();
}

std::optional<Calibration> to_calibration(std::span<const std::byte> bytes) {
  ByteReader reader{bytes};
  Calibration calibration;
  bool is_finite = true;
  for_each_value(calibration, [&](auto& value) {
    using T = std::remove_reference_t<decltype(value)>;
    if constexpr (PlainValue<T>) {
      value = reader.take<T>();
      if constexpr (std::is_floating_point_v<T>) is_finite = is_finite && std::isfinite(value);
    } else {
      value = reader.take_text();
    }
  });
  const bool has_crossover = reader.take<bool>();
  const auto crossover = reader.take<std::uint32_t>();
  if (has_crossover) calibration.bindless_crossover = crossover;
  if (!reader.is_done() || !is_finite) return std::nullopt;
  return calibration;
}

}  // namespace vyre::choice
