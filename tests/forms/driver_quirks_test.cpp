#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/backend/decorators.hpp>
#include <vyre/backend/device.hpp>

#include <backends/vulkan/vulkan_backend.hpp>
#include "tests/support/drivers.hpp"
#include "tests/support/forwarding_driver.hpp"

// What a driver gets wrong, shown by running forms that do not go round it. A test that fails here is good news: the
// driver is right by now, and a row of backends/vulkan/quirks.cpp can go for its version.

namespace vyre::tests {
namespace {

using backend::BufferHandle;
using backend::Device;
using backend::DeviceDriver;
using backend::DeviceInfo;
using backend::FormSupport;
using program::FormKind;
using program::Program;
using testing::Contains;
using testing::Each;
using testing::Ne;

/// A driver that describes its device otherwise.
class DescribedDriver final : public ForwardingDriver {
 public:
  DescribedDriver(std::unique_ptr<DeviceDriver> driver, const FormSupport& forms)
      : ForwardingDriver{std::move(driver)}, info_{inner().info()} {
    info_.forms = forms;
  }

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }

 private:
  DeviceInfo info_;
};

class DriverQuirks : public testing::Test {
 protected:
  void SetUp() override {
    keep_drivers_loaded();
    backend_ = backends::vulkan::make_vulkan_backend();
    const auto infos = backend_->devices();
    ASSERT_TRUE(infos.has_value()) << to_string(infos.error());
    ASSERT_FALSE(infos->empty());
    info_ = infos->front();
  }

  [[nodiscard]] const FormSupport& told() const { return info_.forms; }

  /// The device as if it had no quirks but these.
  [[nodiscard]] std::unique_ptr<Device> open(const FormSupport& forms) {
    auto driver = backend_->open(info_, {});
    if (!driver) throw std::runtime_error{to_string(driver.error())};
    return std::make_unique<Device>(
        backend::make_checking_driver(std::make_unique<DescribedDriver>(*std::move(driver), forms)),
        backend::DeviceOptions{});
  }

  /// What a kernel leaves in its only buffer.
  static std::vector<std::uint32_t> run(Device& device, std::string_view glsl, FormKind form,
                                        std::vector<std::uint32_t> words, std::uint32_t groups = 1,
                                        std::span<const std::uint32_t> params = {}) {
    const Program kernel = must(Program::from_glsl(glsl, {.name = "kernel"}));
    const backend::PipelineHandle pipeline = must(device.compile(kernel, {.form = form}));
    const BufferHandle buffer = must(device.allocate({.size = words.size() * 4}));
    must(device.write(buffer, 0, std::as_bytes(std::span{words})));
    backend::CommandList list;
    list.dispatch(pipeline, std::array{backend::BufferRange{.buffer = buffer}}, {groups, 1, 1}, std::as_bytes(params));
    must(device.wait(must(device.submit(list))));
    must(device.read(buffer, 0, std::as_writable_bytes(std::span{words})));
    must(device.free(buffer));
    must(device.free(pipeline));
    return words;
  }

 private:
  template <typename T>
  static T must(Result<T> result) {
    if (!result) throw std::runtime_error{to_string(result.error())};
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }

  std::unique_ptr<backend::Backend> backend_;
  DeviceInfo info_;
};

TEST_F(DriverQuirks, ComponentLoadsAfterVectorStores) {
  if (!told().quirks.component_loads) GTEST_SKIP() << "the driver is not known to have it";
  constexpr std::string_view kKernel = R"(#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uvec4 to; uvec4 from; uint y; uint w; };
void main() {
  to = from * 10;
  y = to.y;
  w = to.w;
})";
  const std::vector<std::uint32_t> words = {0, 0, 0, 0, 1, 2, 3, 4, 0, 0};
  const std::vector<std::uint32_t> right = {10, 20, 30, 40, 1, 2, 3, 4, 20, 40};
  FormSupport forms = told();
  EXPECT_EQ(run(*open(forms), kKernel, FormKind::Pointer, words), right);
  // Words of 64 bits are not what it gets wrong.
  forms.pairs = false;
  EXPECT_EQ(run(*open(forms), kKernel, FormKind::Pointer, words), right);
  forms.quirks.component_loads = false;
  EXPECT_NE(run(*open(forms), kKernel, FormKind::Pointer, words), right)
      << "components are right without the detour: the quirk component_loads can go for this driver";
}

// By the largest, which comes out wrong. Adding and the like end the process, and so does all of it on shared memory.
TEST_F(DriverQuirks, AtomicsOnBitsOfFloats) {
  if (!told().quirks.float_operands) GTEST_SKIP() << "the driver is not known to have it";
  constexpr std::string_view kKernel = R"(#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint most; float value; };
void main() { atomicMax(most, floatBitsToUint(value * 2)); })";
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  // The bits of what is negative are a large number.
  const std::vector<std::uint32_t> words = {5, bits(-1.5F)};
  const std::vector<std::uint32_t> right = {bits(-3), bits(-1.5F)};
  FormSupport forms = told();
  EXPECT_EQ(run(*open(forms), kKernel, FormKind::Pointer, words), right);
  forms.quirks.float_operands = false;
  EXPECT_NE(run(*open(forms), kKernel, FormKind::Pointer, words), right)
      << "atomics are right without the detour: the quirk float_operands can go for this driver";
}

TEST_F(DriverQuirks, ValuesOfLoops) {
  if (!told().quirks.values_of_loops) GTEST_SKIP() << "the driver is not known to have it";
  constexpr std::string_view kKernel = R"(#version 460
layout(local_size_x = 4) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint of[2]; };
void main() {
  const uint i = gl_LocalInvocationIndex;
  uint value = 0;
  uint k = 0;
  do value = of[k & 1]; while (++k <= i);
  values[i] = value;
})";
  const std::vector<std::uint32_t> words(4, 0);
  const std::vector<std::uint32_t> right = {5, 6, 5, 6};
  constexpr std::uint32_t kParams[] = {5, 6};
  FormSupport forms = told();
  EXPECT_EQ(run(*open(forms), kKernel, FormKind::Descriptor, words, 1, kParams), right);
  EXPECT_EQ(run(*open(forms), kKernel, FormKind::Pointer, words, 1, kParams), right);
  forms.quirks.values_of_loops = false;
  EXPECT_NE(run(*open(forms), kKernel, FormKind::Pointer, words, 1, kParams), right)
      << "values are there behind loops without the detour: the quirk values_of_loops can go for this driver";
}

TEST_F(DriverQuirks, LoopsAreCutOff) {
  if (told().max_iterations == 0) GTEST_SKIP() << "the driver is not known to have it";
  // As written: a loop that is longer than the driver allows.
  constexpr std::string_view kCounts = R"(#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint trips; uint count; };
void main() {
  for (uint i = 0; i < trips; ++i) count += (i & 1) + 1;
})";
  const auto most = static_cast<std::uint32_t>(told().max_iterations);
  const auto counted = [](std::uint32_t trips) { return trips + trips / 2; };
  const std::unique_ptr<Device> device = open(told());
  EXPECT_EQ(run(*device, kCounts, FormKind::Descriptor, {most / 2, 0})[1], counted(most / 2));
  EXPECT_NE(run(*device, kCounts, FormKind::Descriptor, {most + 100, 0})[1], counted(most + 100))
      << "loops are not cut off any more: max_iterations can be 0 for this driver";
  // A persistent workgroup that takes more groups than that leaves some out.
  constexpr std::string_view kVisits = R"(#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint values[]; };
void main() {
  uint sum = 0;
  for (uint i = 0; i < 200; ++i) sum += values[gl_WorkGroupID.x] + i;
  values[gl_WorkGroupID.x] = sum;
})";
  constexpr std::uint32_t kGroups = 1'000;
  const std::vector<std::uint32_t> words(kGroups, 1);
  FormSupport forms = told();
  forms.max_iterations = 0;
  EXPECT_THAT(run(*open(forms), kVisits, FormKind::Merged, words, kGroups), Each(20'100U));
  EXPECT_THAT(run(*open(forms), kVisits, FormKind::Persistent, words, kGroups), Contains(Ne(20'100U)))
      << "persistent workgroups run to their end: max_iterations can be 0 for this driver";
}

}  // namespace
}  // namespace vyre::tests
