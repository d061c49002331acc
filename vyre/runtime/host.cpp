#include <vyre/runtime/host.hpp>

#include <fstream>
#include <string_view>

#include <sched.h>

#include <fmt/format.h>

#include <vyre/program/hash.hpp>

namespace vyre::runtime {
namespace {

namespace fs = std::filesystem;

/// The value of the first line "key : value" in /proc/cpuinfo.
std::string processor_of(const fs::path& root) {
  std::ifstream file{root / "proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    for (const std::string_view key : {"model name", "Hardware", "cpu model", "uarch"}) {
      const std::size_t colon = line.find(':');
      if (!line.starts_with(key) || colon == std::string::npos || colon + 2 > line.size()) continue;
      return line.substr(colon + 2);
    }
  }
  return {};
}

/// The quotas of the control group and of those above it. Groups of version 2 alone.
std::string quota_of(const fs::path& root) {
  std::ifstream groups{root / "proc/self/cgroup"};
  std::string group;
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) group = line.substr(4);
  }
  std::string quotas;
  const fs::path top = root / "sys/fs/cgroup";
  for (fs::path at = top / group;; at = at.parent_path()) {
    std::ifstream file{at / "cpu.max"};
    std::string quota;
    if (std::getline(file, quota) && !quota.starts_with("max")) quotas += (quotas.empty() ? "" : ", ") + quota;
    if (at == top || !at.has_relative_path()) return quotas;
  }
}

std::uint32_t usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  return static_cast<std::uint32_t>(CPU_COUNT(&set));
}

}  // namespace

Host read_host(const fs::path& root) {
  return {.processor = processor_of(root), .cores = usable_cores(), .quota = quota_of(root)};
}

std::string scope_of(const backend::DeviceInfo& device, const Host& host) {
  program::Hasher hasher;
  hasher.add(device.backend).add(device.signature).add(device.configuration);
  hasher.add(host.processor).add(host.cores).add(host.quota);
  const std::string configuration = device.configuration.empty() ? "" : ", " + device.configuration;
  return fmt::format("{}{}, {:016x}", device.name, configuration, hasher.finish().low);
}

}  // namespace vyre::runtime
