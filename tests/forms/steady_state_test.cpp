#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/backend/device.hpp>

#include <backends/vulkan/vulkan_backend.hpp>
#include "tests/support/allocations.hpp"
#include "tests/support/drivers.hpp"

// Lists that come again cost no memory: neither the device's nor the host's.

namespace vyre::tests {
namespace {

using backend::BufferHandle;
using backend::CommandList;
using backend::Device;
using program::FormKind;

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

constexpr int kRounds = 10;

class SteadyState : public testing::TestWithParam<FormKind> {
 protected:
  void SetUp() override {
    keep_drivers_loaded();
    const auto backend = backends::vulkan::make_vulkan_backend();
    // As it is used: the checking driver allocates.
    device_ = must(Device::open(*backend, must(backend->devices()).front()));
    const auto program = must(program::Program::from_glsl(R"(#version 460
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint addend; };
void main() { values[gl_GlobalInvocationID.x] += addend; })",
                                                          {.name = "add"}));
    pipeline_ = must(device_->compile(program, {.form = GetParam()}));
    buffer_ = must(device_->allocate({.size = 256 * std::uint64_t{kMost}}));
  }

  [[nodiscard]] Device& device() { return *device_; }

  /// Of as many dispatches, alike but in two places.
  void make_list(CommandList& list, std::uint32_t dispatches, std::uint32_t addend) const {
    list.clear();
    for (std::uint32_t i = 0; i < dispatches; ++i) {
      const std::array ranges = {backend::BufferRange{.buffer = buffer_, .offset = i * 256, .size = 256}};
      list.dispatch(pipeline_, ranges, {i % 500 == 7 ? 2U : 1U, 1, 1}, std::as_bytes(std::span{&addend, 1}));
    }
  }

  /// How often `step` allocates, once it has been called a few times.
  template <typename Step>
  std::uint64_t allocations_of(Step step) {
    for (int i = 0; i < kRounds; ++i) must(device().wait(must(step())));
    const backend::DeviceUsage before = device().usage();
    const std::uint64_t count = allocation_count();
    for (int i = 0; i < kRounds; ++i) must(device().wait(must(step())));
    const std::uint64_t made = allocation_count() - count;
    EXPECT_EQ(device().usage(), before);
    return made;
  }

  static constexpr std::uint32_t kMost = 600;

 private:
  std::unique_ptr<Device> device_;
  backend::PipelineHandle pipeline_ = {};
  BufferHandle buffer_ = {};
};

// Nothing for a dispatch, and nothing for a list either.
TEST_P(SteadyState, SubmittingAllocatesNothing) {
  for (const std::uint32_t dispatches : {10U, kMost}) {
    CommandList list;
    std::uint32_t addend = 0;
    EXPECT_EQ(allocations_of([&] {
                make_list(list, dispatches, ++addend);
                return device().submit(list);
              }),
              0U)
        << dispatches << " dispatches";
  }
}

TEST_P(SteadyState, ReplayingWithAnotherListAllocatesNothing) {
  // A dispatch in the descriptor form stays as it is.
  const bool is_fixed = GetParam() == FormKind::Descriptor;
  for (const std::uint32_t dispatches : {10U, kMost}) {
    CommandList list;
    make_list(list, dispatches, 0);
    const backend::RecordingHandle recording = must(device().record(list, {.updatable = true}));
    std::uint32_t addend = 0;
    EXPECT_EQ(allocations_of([&] {
                make_list(list, dispatches, is_fixed ? 0 : ++addend);
                return device().replay(recording, list);
              }),
              0U)
        << dispatches << " dispatches";
    must(device().free(recording));
  }
}

INSTANTIATE_TEST_SUITE_P(Vulkan, SteadyState,
                         testing::Values(FormKind::Descriptor, FormKind::Pointer, FormKind::Merged,
                                         FormKind::Persistent, FormKind::Chain),
                         [](const auto& each) {
                           std::string name{to_string(each.param)};
                           name[0] = static_cast<char>(name[0] - 'a' + 'A');
                           return name;
                         });

}  // namespace
}  // namespace vyre::tests
