#include "tests/forms/random_kernel.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <backends/vulkan/vulkan_backend.hpp>
#include <vyre/backend/decorators.hpp>
#include <vyre/backend/device.hpp>
#include <vyre/program/program.hpp>

#include "tests/support/drivers.hpp"

// The kernels that other tests rely on: they are valid, they have what is wanted of them, and they give the same in
// whatever order they run.

namespace vyre::tests {
namespace {

using backend::BufferRange;
using backend::CommandList;
using backend::Device;
using backend::PipelineHandle;
using program::Program;
using testing::IsSupersetOf;

constexpr std::uint64_t kKernels = 300;
constexpr std::uint64_t kCompiled = 150;
constexpr std::uint64_t kRuns = 30;
constexpr int kSeldom = 4;
constexpr std::size_t kItems = 3;

/// What kernels are made for, each in some of `kKernels`.
constexpr std::string_view kFeatures[] = {
    // Workgroups and built-ins.
    "workgroup 1D", "workgroup 2D", "workgroup 3D", "workgroup of 1", "workgroup of 8", "workgroup of 24",
    "workgroup of 64", "workgroup specialised", "one dimension", "specialisation constants", "gl_GlobalInvocationID",
    "gl_WorkGroupID", "gl_NumWorkGroups", "gl_LocalInvocationID", "gl_LocalInvocationIndex", "gl_WorkGroupSize",
    // Buffers and parameters.
    "elements of float", "elements of int", "elements of uint", "elements of vec2", "elements of vec3",
    "elements of vec4", "elements of uvec4", "elements of matrices", "elements of structures", "elements of arrays",
    "array in a structure", "structure in a structure", "members before a runtime array", "layout scalar",
    "storage buffer in std140", "uniform buffer", "several sets", "array of buffers", "array of buffers by a constant",
    "array of buffers by a uniform value", "array of buffers that are written", "array of uniform buffers",
    "two blocks on a slot", "two blocks on a slot, one written", "readonly", "writeonly", "coherent", "restrict",
    "volatile", "push constants", "array in push constants", "no push constants", "length()", "bounded by a parameter",
    "bounded by lengths", "several elements per invocation",
    // Functions and globals.
    "functions", "out parameters", "inout parameters", "early return", "nested calls", "buffer passed as inout",
    "return of those without elements", "return within main", "private globals with initialisers", "constants",
    "constant arrays",
    // Shared memory.
    "shared memory", "barriers in a loop", "barriers where all agree", "barrier in a function", "reduction",
    "atomics on shared memory", "written per group",
    // Control flow.
    "for (", "while (", "do {", "switch", "break;", "continue;", "nested loops", "nested branches",
    "falling through cases", "loop bounded by data", "loop ended by data", "loop bounded by a specialisation constant",
    // Expressions and accesses.
    "component of a vector", "dynamic component of a vector", "column of a matrix", "dynamic column of a matrix",
    "matrix times vector", "written and read at once", "whole structures read", "whole structures written",
    "whole matrices written", "structures copied", "atomicAdd", "atomicMax", "atomicMin", "atomicOr", "atomicAnd",
    "atomicXor", "atomics on elements of one's own", "bool logic", "bit tricks", "carries", "packing functions",
    "read out of bounds", "write out of bounds"};

Result<Program> compile(const RandomKernel& kernel) { return Program::from_glsl(kernel.source, {.name = "random"}); }

/// What does not fit between the interface of a program and the work made for it; empty if all does.
std::string mismatch(const program::Interface& interface, const RandomKernel& kernel) {
  if (!interface.unsupported.empty()) return "unsupported: " + interface.unsupported.front().what;
  if (interface.workgroup.size != kernel.shape.workgroup) return "the workgroup differs";
  const std::size_t param_bytes = interface.push_constants ? interface.push_constants->size : 0;
  if (param_bytes != kernel.shape.params.size) {
    return fmt::format("{} bytes of push constants, {} are expected", param_bytes, kernel.shape.params.size);
  }
  std::size_t next = 0;
  for (const program::Binding& binding : interface.bindings) {
    for (std::uint32_t i = 0; i < binding.count.value_or(0); ++i, ++next) {
      if (next == kernel.shape.buffers.size()) return "more buffers than expected";
    }
  }
  return next == kernel.shape.buffers.size()
             ? ""
             : fmt::format("{} buffers, {} are expected", next, kernel.shape.buffers.size());
}

/// The layout that was worked out here is that of the compiler.
std::string layout_mismatch(const program::Interface& interface, const RandomKernel& kernel) {
  std::size_t next = 0;
  for (const program::Binding& binding : interface.bindings) {
    const BufferShape& shape = kernel.shape.buffers[next];
    // A slot with two blocks has the layout of the wider one.
    if (binding.variables.empty()) {
      const bool has_data = shape.rule != LengthRule::None;
      const std::uint64_t size = has_data ? shape.data_offset : shape.header.size;
      if (binding.size != size) return fmt::format("{} has {} bytes, not {}", binding.name, binding.size, size);
      if (binding.runtime_sized != has_data) return binding.name + " has another end";
      if (has_data && binding.stride != shape.stride) {
        return fmt::format("{} has a stride of {}, not {}", binding.name, binding.stride, shape.stride);
      }
    }
    next += binding.count.value_or(0);
  }
  return {};
}

TEST(RandomKernel, CompilesAndHasTheInterfaceItsWorkIsFor) {
  std::set<std::string> built_ins;
  std::uint64_t with_barriers = 0;
  std::uint64_t with_loops = 0;
  for (std::uint64_t seed = 1; seed <= kCompiled; ++seed) {
    const RandomKernel kernel = random_kernel(seed, {.out_of_bounds = seed % 4 == 0});
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, kernel.source));
    const auto program = compile(kernel);
    ASSERT_TRUE(program) << to_string(program.error());
    ASSERT_EQ(mismatch(program->interface(), kernel), "");
    ASSERT_EQ(layout_mismatch(program->interface(), kernel), "");
    built_ins.insert(program->interface().built_ins.begin(), program->interface().built_ins.end());
    with_barriers += program->interface().uses_barriers ? 1U : 0U;
    with_loops += program->interface().loops.empty() ? 0U : 1U;
  }
  EXPECT_THAT(built_ins, IsSupersetOf({"GlobalInvocationId", "LocalInvocationId", "LocalInvocationIndex",
                                       "NumWorkgroups", "WorkgroupId"}));
  EXPECT_GE(with_barriers, kCompiled / 4);
  EXPECT_GE(with_loops, kCompiled / 4);
}

TEST(RandomKernel, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const RandomKernel one = random_kernel(seed);
    const RandomKernel other = random_kernel(seed);
    EXPECT_EQ(one.source, other.source);
    EXPECT_EQ(one.work, other.work);
    EXPECT_NE(one.source, random_kernel(seed + 1'000).source);
    EXPECT_EQ(random_work(one.shape, seed), random_work(one.shape, seed));
  }
}

TEST(RandomKernel, HasEverythingNowAndThen) {
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 1; seed <= kKernels; ++seed) {
    for (const std::string& feature : random_kernel(seed, {.out_of_bounds = seed % 4 == 0}).features) ++counts[feature];
  }
  for (const std::string_view feature : kFeatures) {
    EXPECT_GE(counts[std::string{feature}], kSeldom) << feature;
  }
  for (std::uint64_t seed = 1; seed <= kKernels; ++seed) {
    const std::set<std::string> features = random_kernel(seed).features;
    EXPECT_FALSE(features.contains("read out of bounds") || features.contains("write out of bounds"));
  }
}

/// What stands in brackets behind the names of push constants.
std::set<std::string> param_indices(std::string_view source) {
  constexpr std::string_view kName = "_.0123456789abcdefghijklmnopqrstuvwxyz";
  std::set<std::string> all;
  for (std::size_t at = source.find("push."); at != source.npos; at = source.find("push.", at + 1)) {
    std::size_t end = source.find_first_not_of(kName, at);
    while (end != source.npos && source[end] == '[') {
      const std::size_t close = source.find(']', end);
      all.emplace(source.substr(end + 1, close - end - 1));
      end = source.find_first_not_of(kName, close + 1);
    }
  }
  return all;
}

TEST(RandomKernel, IndexesPushConstantsByWhatIsTheSameForAll) {
  const auto is_uniform =
      testing::MatchesRegex(R"([0-9]+|(gl_NumWorkGroups.x|gl_WorkGroupID.x|push.[a-z0-9]+) % [0-9]+u)");
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= kKernels; ++seed) found.merge(param_indices(random_kernel(seed).source));
  EXPECT_THAT(found, testing::Each(is_uniform));
  EXPECT_THAT(found, testing::Contains("push.count % 2u"));
}

/// The device that Vulkan lists first.
std::unique_ptr<Device> open_device() {
  keep_drivers_loaded();
  const auto vulkan = backends::vulkan::make_vulkan_backend();
  const auto devices = vulkan->devices();
  if (!devices || devices->empty()) return nullptr;
  auto driver = vulkan->open(devices->front(), {});
  if (!driver) return nullptr;
  return std::make_unique<Device>(backend::make_checking_driver(*std::move(driver)), backend::DeviceOptions{});
}

/// Dispatches whose buffers are on a device.
class Items {
 public:
  Items(Device& device, const std::vector<KernelWork>& works) : device_{device}, works_{works} {
    for (const KernelWork& work : works_) {
      std::vector<BufferRange>& ranges = ranges_.emplace_back();
      for (const std::vector<std::byte>& bytes : work.buffers) {
        ranges.push_back({.buffer = device_.allocate({.size = bytes.size()}).value()});
        device_.write(ranges.back().buffer, 0, bytes).value();
      }
    }
  }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;
  ~Items() {
    for (const auto& ranges : ranges_) {
      for (const BufferRange& range : ranges) EXPECT_TRUE(device_.free(range.buffer));
    }
  }

  void add(CommandList& list, PipelineHandle pipeline, std::size_t item) const {
    list.dispatch(pipeline, ranges_[item], works_[item].groups, works_[item].params);
  }
  [[nodiscard]] std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t item = 0; item < works_.size(); ++item) {
      for (std::size_t i = 0; i < ranges_[item].size(); ++i) {
        std::vector<std::byte>& bytes = all.emplace_back(works_[item].buffers[i].size());
        device_.read(ranges_[item][i].buffer, 0, bytes).value();
      }
    }
    return all;
  }

 private:
  Device& device_;
  const std::vector<KernelWork>& works_;
  std::vector<std::vector<BufferRange>> ranges_;
};

TEST(RandomKernelOnVulkan, GivesTheSameHoweverItIsSubmitted) {
  const std::unique_ptr<Device> device = open_device();
  ASSERT_NE(device, nullptr);
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const RandomKernel kernel = random_kernel(seed, {.out_of_bounds = seed % 4 == 0});
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, kernel.source));
    const auto program = compile(kernel);
    ASSERT_TRUE(program) << to_string(program.error());
    const auto pipeline = device->compile(*program);
    ASSERT_TRUE(pipeline) << to_string(pipeline.error());
    std::vector<KernelWork> works = {kernel.work};
    while (works.size() < kItems) works.push_back(random_work(kernel.shape, seed * 100 + works.size()));

    const Items one_by_one{*device, works};
    for (std::size_t item = 0; item < kItems; ++item) {
      CommandList list;
      one_by_one.add(list, *pipeline, item);
      const auto ticket = device->submit(list);
      ASSERT_TRUE(ticket) << to_string(ticket.error());
      ASSERT_TRUE(device->wait(*ticket));
    }
    const Items at_once{*device, works};
    CommandList list;
    for (std::size_t item = kItems; item > 0; --item) at_once.add(list, *pipeline, item - 1);
    const auto ticket = device->submit(list);
    ASSERT_TRUE(ticket) << to_string(ticket.error());
    ASSERT_TRUE(device->wait(*ticket));

    const auto results = one_by_one.contents();
    ASSERT_EQ(results, at_once.contents());
    std::vector<std::vector<std::byte>> before;
    for (const KernelWork& work : works) before.insert(before.end(), work.buffers.begin(), work.buffers.end());
    if (results != before) ++changed;
    ASSERT_TRUE(device->free(*pipeline));
  }
  // Nearly all do something: a few have no room for any element.
  EXPECT_GE(changed, kRuns * 9 / 10);
}

}  // namespace
}  // namespace vyre::tests
