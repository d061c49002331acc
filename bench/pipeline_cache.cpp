// What a driver's VkPipelineCache holds, and how much of a cold compile it saves: a pipeline and its first dispatch
// with an empty cache, again in the same process, and in a new process with the data of the first. Drivers compile at
// either, so both are counted. Each time is of a process of its own, since drivers keep what they made. What Mesa keeps
// on disk by itself is left out.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/choice/line.hpp>
#include <vyre/program/program.hpp>

#include "bench/must.hpp"
#include "bench/raw_device.hpp"

namespace vyre::bench {
namespace {

using nlohmann::ordered_json;
using program::Program;

constexpr std::array kKernels = {"saxpy", "matmul_tiled", "nbody_forces"};
constexpr std::size_t kRounds = 9;
constexpr std::uint64_t kBufferBytes = 1 << 16;

std::vector<char> read_bytes(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// One pipeline after another in this process, with one cache; prints what each took, in ns, and the bytes of the
/// cache.
int run_child(const std::string& kernel_path, const std::string& data_path) {
  const Program program = must(Program::from_file(kernel_path, {}));
  const program::Interface& interface = program.interface();
  const auto buffers = static_cast<std::uint32_t>(interface.bindings.size());
  RawDevice device{std::vector<std::uint64_t>(buffers, kBufferBytes), 1, buffers};
  const VkDevice native = RawConnection::get()->device;
  const std::vector<char> data = read_bytes(data_path);
  const VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                       .initialDataSize = data.size(),
                                       .pInitialData = data.data()};
  VkPipelineCache cache = VK_NULL_HANDLE;
  check(device.vk().vkCreatePipelineCache(native, &info, nullptr, &cache), "vkCreatePipelineCache");
  const std::uint32_t push_bytes = interface.push_constants ? interface.push_constants->size : 0;
  const std::vector<std::uint32_t> params(push_bytes / 4);
  std::vector<RawView> views;
  for (std::uint32_t i = 0; i < buffers; ++i) views.push_back({.buffer = i, .size = kBufferBytes});
  VkDescriptorSet set = VK_NULL_HANDLE;
  for (int turn = 0; turn < 2; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    const RawKernel kernel = device.make_kernel(
        {.words = program.words(), .storage_buffers = buffers, .push_bytes = push_bytes, .cache = cache});
    if (set == VK_NULL_HANDLE) set = device.make_set(kernel, views);
    const VkCommandBuffer commands = device.make_commands();
    const VkCommandBufferBeginInfo recording{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VolkDeviceTable& vk = device.vk();
    check(vk.vkBeginCommandBuffer(commands, &recording), "vkBeginCommandBuffer");
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &set, 0, nullptr);
    if (push_bytes > 0) {
      vk.vkCmdPushConstants(commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, params.data());
    }
    vk.vkCmdDispatch(commands, 1, 1, 1);
    device.barrier(commands, true);
    check(vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    device.run(commands);
    fmt::print("{} ", std::chrono::nanoseconds{std::chrono::steady_clock::now() - begin}.count());
  }
  std::size_t size = 0;
  check(device.vk().vkGetPipelineCacheData(native, cache, &size, nullptr), "vkGetPipelineCacheData");
  std::vector<char> bytes(size);
  check(device.vk().vkGetPipelineCacheData(native, cache, &size, bytes.data()), "vkGetPipelineCacheData");
  std::ofstream{data_path, std::ios::binary}.write(bytes.data(), static_cast<std::streamsize>(size));
  fmt::print("{}\n", size);
  device.vk().vkDestroyPipelineCache(native, cache, nullptr);
  return 0;
}

struct ChildResult {
  double first_ns = 0;
  double again_ns = 0;
  std::size_t bytes = 0;
};

ChildResult spawn(const std::string& kernel, const std::string& data_path) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::FILE* pipe =
      popen(fmt::format("MESA_SHADER_CACHE_DISABLE=true '{}' --child '{}' '{}'", self, kernel, data_path).c_str(), "r");
  ChildResult result;
  if (pipe == nullptr || std::fscanf(pipe, "%lf %lf %zu", &result.first_ns, &result.again_ns, &result.bytes) != 3 ||
      pclose(pipe) != 0) {
    fmt::print(stderr, "the child for {} failed\n", kernel);
    std::exit(1);
  }
  return result;
}

/// The median, and how far the farther quartile is from it, in ms.
ordered_json in_ms(std::vector<double> values) {
  std::ranges::sort(values);
  const double median = choice::median(values);
  const double spread = std::max(values[values.size() * 3 / 4] - median, median - values[values.size() / 4]);
  return {{"median", median / 1e6}, {"spread", spread / 1e6}};
}

std::string text(const ordered_json& ms) {
  return fmt::format("{:.2f} ± {:.2f}", ms["median"].get<double>(), ms["spread"].get<double>());
}

int run(const std::string& json_path) {
  const std::string data_path =
      (std::filesystem::temp_directory_path() / fmt::format("vyre_{}.cache", getpid())).string();
  VkPhysicalDeviceProperties properties;
  {
    const auto connection = RawConnection::get();
    vkGetPhysicalDeviceProperties(connection->physical, &properties);
  }
  ordered_json all{{"device", properties.deviceName}, {"rounds", kRounds}, {"kernels", ordered_json::array()}};
  fmt::print("{}: a pipeline and its first dispatch, ms\n", properties.deviceName);
  for (const std::string kernel : kKernels) {
    const std::string path = fmt::format("{}/tests/kernels/{}.comp", VYRE_SOURCE_DIR, kernel);
    std::vector<double> cold;
    std::vector<double> again;
    std::vector<double> warm;
    std::size_t bytes = 0;
    std::size_t bytes_after = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
      std::filesystem::remove(data_path);
      const ChildResult first = spawn(path, data_path);
      const ChildResult second = spawn(path, data_path);
      cold.push_back(first.first_ns);
      again.push_back(first.again_ns);
      warm.push_back(second.first_ns);
      bytes = first.bytes;
      bytes_after = second.bytes;
    }
    std::filesystem::remove(data_path);
    const ordered_json row{{"kernel", kernel},         {"cold_ms", in_ms(cold)},
                           {"again_ms", in_ms(again)}, {"with_data_ms", in_ms(warm)},
                           {"bytes", bytes},           {"bytes_after", bytes_after}};
    fmt::print("  {:<14} empty cache {}, again {}, new process with the data {}; {} bytes, then {}\n", kernel,
               text(row["cold_ms"]), text(row["again_ms"]), text(row["with_data_ms"]), bytes, bytes_after);
    all["kernels"].push_back(row);
  }
  if (!json_path.empty()) std::ofstream{json_path} << all.dump(2) << '\n';
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  const std::span arguments{argv + 1, static_cast<std::size_t>(argc - 1)};
  if (arguments.size() == 3 && std::string_view{arguments[0]} == "--child") {
    return vyre::bench::run_child(arguments[1], arguments[2]);
  }
  if (arguments.size() == 2 && std::string_view{arguments[0]} == "--json") return vyre::bench::run(arguments[1]);
  if (!arguments.empty()) {
    fmt::print(stderr, "usage: {} [--json FILE]\n", argv[0]);
    return 2;
  }
  return vyre::bench::run({});
}
