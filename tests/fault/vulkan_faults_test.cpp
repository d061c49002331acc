#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <backends/vulkan/api.hpp>
#include <backends/vulkan/vulkan_backend.hpp>
#include <vyre/backend/decorators.hpp>
#include <vyre/backend/device.hpp>

#include "tests/support/drivers.hpp"

// For every N, the Nth call of Vulkan that can fail does: the error must be the right one, and nothing may be left.

namespace vyre {
namespace {

using backends::vulkan::AnyFunction;

struct Fault {
  std::uint64_t calls = 0;    // That could have failed, so far.
  std::uint64_t fail_at = 0;  // From 1; 0 for none.
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  std::string_view only = {};  // The function that can; empty for all.
  std::string failed;          // The name of the function that did.
  std::int64_t objects = 0;
};
Fault fault;

/// Whether a call can give a result at all.
bool can_give(std::string_view name, VkResult result) {
  if (!fault.only.empty()) return name == fault.only;
  if (result != VK_ERROR_DEVICE_LOST)
    return name != "vkGetSemaphoreCounterValue" || result == VK_ERROR_OUT_OF_HOST_MEMORY;
  return name == "vkQueueSubmit" || name == "vkWaitSemaphores" || name == "vkGetSemaphoreCounterValue";
}

/// +1 for a function that makes an object of its own, -1 for one that destroys it.
int change(std::string_view name) {
  if (name.starts_with("vkCreate") || name == "vkAllocateMemory") return 1;
  if (name.starts_with("vkDestroy") || name == "vkFreeMemory") return -1;
  return 0;
}

template <typename Tag, typename Function>
struct Wrapped;

template <typename Tag, typename Out, typename... In>
struct Wrapped<Tag, Out(VKAPI_PTR*)(In...)> {
  static inline Out(VKAPI_PTR* original)(In...) = nullptr;

  static VKAPI_ATTR Out VKAPI_CALL call(In... in) {
    if constexpr (std::is_same_v<Out, VkResult>) {
      if (can_give(Tag::name(), fault.result) && ++fault.calls == fault.fail_at) {
        fault.failed = Tag::name();
        return fault.result;
      }
      const VkResult result = original(in...);
      if (result == VK_SUCCESS) fault.objects += change(Tag::name());
      return result;
    } else {
      fault.objects += change(Tag::name());
      return original(in...);
    }
  }
};

AnyFunction intercept(std::string_view name, AnyFunction original) {
#define VYRE_WRAP(function)                                               \
  if (name == "vk" #function) {                                           \
    struct Tag {                                                          \
      static constexpr std::string_view name() { return "vk" #function; } \
    };                                                                    \
    using Wrap = Wrapped<Tag, PFN_vk##function>;                          \
    Wrap::original = reinterpret_cast<PFN_vk##function>(original);        \
    return reinterpret_cast<AnyFunction>(&Wrap::call);                    \
  }
  VYRE_VULKAN_GLOBAL_FUNCTIONS(VYRE_WRAP)
  VYRE_VULKAN_INSTANCE_FUNCTIONS(VYRE_WRAP)
  VYRE_VULKAN_DEVICE_FUNCTIONS(VYRE_WRAP)
#undef VYRE_WRAP
  return original;
}

constexpr const char* kKernel = R"(#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint kAdd = 1;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform P { uint count; };
void main() { if (gl_GlobalInvocationID.x < count) x[gl_GlobalInvocationID.x] += kAdd; }
)";

/// A whole life: open, allocate, compile, map, write, submit, record, replay, read, free, open once more.
Result<std::uint32_t> live(bool maps_device_memory) {
  const auto backend = backends::vulkan::make_vulkan_backend({.intercept = intercept});
  VYRE_ASSIGN(const std::vector<backend::DeviceInfo> infos, backend->devices());
  const backend::DeviceOptions options{.map_device_memory = maps_device_memory};
  VYRE_ASSIGN(std::unique_ptr<backend::DeviceDriver> driver, backend->open(infos.front(), options));
  backend::Device device{std::move(driver), options};
  constexpr std::uint32_t kCount = 64;
  constexpr std::uint64_t kBytes = kCount * sizeof(std::uint32_t);
  VYRE_ASSIGN(const backend::BufferHandle x, device.allocate({.size = kBytes}));
  VYRE_ASSIGN(const backend::BufferHandle back, device.allocate({.size = kBytes, .memory = backend::Memory::Readback}));
  VYRE_ASSIGN(const std::span<std::byte> mapped, device.map(back));
  VYRE_ASSIGN(const program::Program program, program::Program::from_glsl(kKernel, {.name = "add"}));
  const program::spirv::SpecOverride value{.spec_id = 0, .bits = 3};
  VYRE_ASSIGN(const backend::PipelineHandle pipeline, device.compile(program, {.values = {&value, 1}, .warm = true}));
  VYRE_TRY(device.write(x, 0, std::vector<std::byte>(kBytes)));
  backend::CommandList list;
  const backend::BufferRange range{.buffer = x};
  list.dispatch(pipeline, {&range, 1}, {2, 1, 1}, std::as_bytes(std::span{&kCount, 1}));
  list.barrier();
  list.copy(x, 0, back, 0, kBytes);
  VYRE_ASSIGN(const backend::Ticket first, device.submit(list));
  VYRE_TRY(device.wait(first));
  VYRE_ASSIGN(const backend::RecordingHandle recording, device.record(list));
  VYRE_TRY(device.replay(recording));
  VYRE_ASSIGN(const backend::Ticket last, device.replay(recording));
  VYRE_TRY(device.poll(last));
  VYRE_TRY(device.wait(last));
  std::uint32_t seen = 0;
  std::memcpy(&seen, mapped.data(), sizeof(seen));
  std::uint32_t read = 0;
  VYRE_TRY(device.read(x, 4, std::as_writable_bytes(std::span{&read, 1})));
  list.clear();
  list.fill({.buffer = x, .offset = 1, .size = 9}, 0);
  list.timestamp(back, 0);
  VYRE_TRY(device.submit(list));
  VYRE_TRY(device.free(recording));
  VYRE_TRY(device.free(pipeline));
  VYRE_TRY(device.free(x));
  VYRE_TRY(device.free(back));
  VYRE_TRY(device.wait_idle());
  VYRE_ASSIGN(const std::unique_ptr<backend::Device> again, device.open_again());
  VYRE_ASSIGN(const backend::BufferHandle there, again->allocate({.size = kBytes}));
  VYRE_TRY(again->write(there, 0, std::vector<std::byte>(kBytes)));
  VYRE_TRY(again->free(there));
  EXPECT_EQ(device.usage(), backend::DeviceUsage{});
  EXPECT_EQ(seen, read);
  return seen;
}

struct Case {
  VkResult result = VK_SUCCESS;
  ErrorCode code = ErrorCode::Internal;
};

void fail_every_call(const Case& wanted, bool maps_device_memory) {
  tests::keep_drivers_loaded();
  std::uint64_t failures = 0;
  for (std::uint64_t n = 1;; ++n) {
    fault = {.fail_at = n, .result = wanted.result};
    const Result<std::uint32_t> result = live(maps_device_memory);
    SCOPED_TRACE(fault.failed + ", call " + std::to_string(n));
    EXPECT_EQ(fault.objects, 0);
    if (fault.failed.empty()) {
      ASSERT_TRUE(result) << to_string(result.error());
      EXPECT_EQ(*result, 9U);
      break;
    }
    ++failures;
    // Freeing asks how far the queue is, and leaves the memory for later if it gets no answer.
    if (result && fault.failed == "vkGetSemaphoreCounterValue") continue;
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, wanted.code) << to_string(result.error());
    // After a loss every later call says only that.
    if (wanted.code != ErrorCode::DeviceLost) {
      EXPECT_THAT(result.error().message, testing::HasSubstr(fault.failed));
    }
  }
  EXPECT_GE(failures, wanted.code == ErrorCode::DeviceLost ? 8U : 30U);
  std::printf("%llu calls were made to fail\n", static_cast<unsigned long long>(failures));
}

TEST(VulkanFaults, EveryCallThatRunsOutOfMemoryIsSaidAndLeavesNothing) {
  fail_every_call({VK_ERROR_OUT_OF_HOST_MEMORY, ErrorCode::OutOfMemory}, true);
}

TEST(VulkanFaults, EveryCallThatRunsOutOfMemoryWithStagingIsSaidAndLeavesNothing) {
  fail_every_call({VK_ERROR_OUT_OF_HOST_MEMORY, ErrorCode::OutOfMemory}, false);
}

TEST(VulkanFaults, EveryCallThatLosesTheDeviceIsSaidAndLeavesNothing) {
  fail_every_call({VK_ERROR_DEVICE_LOST, ErrorCode::DeviceLost}, true);
}

TEST(VulkanFaults, AModuleThatTheDriverRefusesIsSaidWithItsForm) {
  tests::keep_drivers_loaded();
  for (const std::string_view call : {"vkCreateShaderModule", "vkCreateComputePipelines"}) {
    for (const VkResult result : {VK_ERROR_UNKNOWN, VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_INVALID_SHADER_NV}) {
      fault = {.fail_at = 1, .result = result, .only = call};
      const Result<std::uint32_t> lived = live(true);
      ASSERT_FALSE(lived);
      EXPECT_EQ(lived.error().code, ErrorCode::CompileFailed);
      EXPECT_THAT(lived.error().message, testing::HasSubstr(std::string{call} + " fails with VK_ERROR_"));
      EXPECT_THAT(lived.error().message, testing::HasSubstr("for 'add' in the descriptor form"));
      EXPECT_EQ(fault.objects, 0);
    }
  }
  fault = {};
}

}  // namespace
}  // namespace vyre
