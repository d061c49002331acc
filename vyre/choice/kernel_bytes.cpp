#include <vyre/choice/kernel_bytes.hpp>

#include <cmath>

#include <vyre/base/bytes.hpp>

namespace vyre::choice {

std::vector<std::byte> to_bytes(const KernelTimes::Times& times) {
  ByteWriter writer;
  for (const std::optional<double>& ns : times.ns) writer.add(ns.has_value()).add(ns.value_or(0));
  for (const std::uint32_t timings : times.timings) writer.add(timings);
  return writer.take();
}

std::optional<KernelTimes::Times> to_kernel_times(std::span<const std::byte> bytes) {
  ByteReader reader{bytes};
  KernelTimes::Times times;
  bool is_good = true;
  for (std::optional<double>& known : times.ns) {
    const bool is_known = reader.take<bool>();
    const auto ns = reader.take<double>();
    if (is_known) known = ns;
    is_good = is_good && std::isfinite(ns);
  }
  for (std::size_t form = 0; form < times.timings.size(); ++form) {
    times.timings[form] = reader.take<std::uint32_t>();
    // What was timed is known.
    is_good = is_good && (times.timings[form] == 0 || times.ns[form].has_value());
  }
  if (!reader.is_done() || !is_good) return std::nullopt;
  return times;
}

}  // namespace vyre::choice
