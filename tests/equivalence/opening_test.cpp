#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/backend/device.hpp>
#include <vyre/backend/registry.hpp>
#include <vyre/runtime/system.hpp>

#include <backends/fake/fake_backend.hpp>
#include <backends/vulkan/vulkan_backend.hpp>
#include "tests/equivalence/kernels.hpp"

// A device is opened as it was listed, with options that it can keep, or not at all.

namespace vyre::tests {
namespace {

using backend::Device;
using backend::DeviceInfo;
using backend::DeviceOptions;
using testing::HasSubstr;

class Opening : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    backend_ = GetParam() == "fake" ? backends::fake::make_fake_backend({.kernels = fake_kernels()})
                                    : backends::vulkan::make_vulkan_backend({});
    const auto infos = backend_->devices();
    ASSERT_TRUE(infos) << to_string(infos.error());
    info_ = infos->front();
  }

  /// Why it is not opened, or "".
  [[nodiscard]] std::string refusal(const DeviceInfo& info, const DeviceOptions& options = {}) const {
    const auto opened = Device::open(*backend_, info, options);
    return opened ? "" : to_string(opened.error());
  }
  [[nodiscard]] std::string refusal_of(const std::function<void(DeviceInfo&)>& change) const {
    DeviceInfo changed = info_;
    change(changed);
    return refusal(changed);
  }

  std::unique_ptr<backend::Backend> backend_;
  DeviceInfo info_;
};

TEST_P(Opening, ADeviceIsWhatWasListed) {
  EXPECT_EQ(refusal(info_), "");
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.name = "another"; }),
              HasSubstr(fmt::format("is asked for with the name 'another', it is '{}'", info_.name)));
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.driver += " 2"; }), HasSubstr("is asked for with the driver "));
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.api.clear(); }),
              HasSubstr("is asked for with the API '', it is "));
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.configuration = "fast"; }), HasSubstr("configuration 'fast'"));
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.type = backend::DeviceType::VirtualGpu; }),
              HasSubstr("is asked for with the type 'virtual-gpu', it is '"));
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.limits.max_groups[0] += 1; }),
              HasSubstr("with other limits than"));
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.forms.fold += 1; }), HasSubstr("with other forms than it has"));
  EXPECT_THAT(refusal_of([](DeviceInfo& info) { info.spirv_capabilities.clear(); }), HasSubstr("other capabilities"));
  EXPECT_NE(refusal_of([](DeviceInfo& info) { info.signature += "x"; }), "");
  EXPECT_NE(refusal({}), "");
}

/// Whoever lost a device opens it again with what the device says of itself.
TEST_P(Opening, ADeviceOpensAsADeviceThatWasOpened) {
  const DeviceOptions few{.memory_budget = 1 << 20, .map_device_memory = false};
  const auto device = Device::open(*backend_, info_, few);
  ASSERT_TRUE(device) << to_string(device.error());
  EXPECT_NE((*device)->info(), info_);
  EXPECT_EQ(refusal((*device)->info()), "");
  EXPECT_EQ(refusal((*device)->info(), few), "");
}

TEST_P(Opening, OptionsHaveLimits) {
  EXPECT_EQ(refusal(info_, {.memory_budget = info_.limits.memory_bytes, .max_pending = DeviceOptions::kMostPending}),
            "");
  EXPECT_THAT(refusal(info_, {.max_pending = 0}), HasSubstr("the device option max_pending is 0, it takes 1 to 65536"));
  EXPECT_THAT(refusal(info_, {.max_pending = ~std::uint32_t{0}}),
              HasSubstr("max_pending is 4294967295, it takes 1 to"));
  EXPECT_THAT(refusal(info_, {.memory_budget = info_.limits.memory_bytes + 1}),
              HasSubstr(fmt::format("the device option memory_budget is {} bytes, device '{}' has {}",
                                    info_.limits.memory_bytes + 1, info_.name, info_.limits.memory_bytes)));
}

/// As many as there are may be pending, beyond what there is room for at first.
TEST_P(Opening, ManySubmissionsArePending) {
  const auto device = Device::open(*backend_, info_, {.max_pending = 1'000}).value();
  const auto buffer = device->allocate({.size = 64}).value();
  backend::CommandList list;
  list.fill({.buffer = buffer}, 7);
  for (int i = 0; i < 3'000; ++i) ASSERT_TRUE(device->submit(list));
  EXPECT_TRUE(device->wait_idle());
  EXPECT_EQ(device->usage().pending, 0U);
  EXPECT_TRUE(device->free(buffer));
}

TEST_P(Opening, WhatADeviceIsAskedForHasLimitsToo) {
  const auto device = Device::open(*backend_, info_).value();
  const auto message = [](const auto& result) {
    if (result) return std::string{"it was not refused"};
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    return result.error().message;
  };
  EXPECT_EQ(message(device->allocate({.size = 64, .memory = static_cast<backend::Memory>(99)})),
            "a buffer in memory 99 is asked for, it takes 0 (device) to 2 (readback)");
  EXPECT_EQ(message(device->compile(program_of(kernel_index("mix")), {.form = static_cast<program::FormKind>(99)})),
            "form 99 is asked for, there are 0 (descriptor) to 4 (chain)");
  EXPECT_EQ(message(derive_form(program_of(kernel_index("mix")), static_cast<program::FormKind>(99))),
            "form 99 is asked for, there are 1 (pointer) to 4 (chain)");
}

TEST_P(Opening, ASystemNamesWhatThereIs) {
  const std::string name = info_.name;
  backend::Registry registry;
  EXPECT_EQ(to_string(registry.add(nullptr).error()),
            "error[invalid-argument]: a backend that is null is added to a registry");
  ASSERT_TRUE(registry.add(std::move(backend_)));
  runtime::System system{std::move(registry)};
  EXPECT_TRUE(system.open({.backend = GetParam(), .name = name}));
  const auto changed = system.open({.name = name + "?"});
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(to_string(changed.error()), HasSubstr(fmt::format("has '{}?' in its name; there are '{}'", name, name)));
  EXPECT_THAT(to_string(system.open({.name = name}, {.max_pending = 0}).error()), HasSubstr("max_pending is 0"));
  // One that was moved elsewhere has no backend.
  const runtime::System elsewhere = std::move(system);
  // NOLINTNEXTLINE(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(system.devices().error().code, ErrorCode::Unavailable);
}

INSTANTIATE_TEST_SUITE_P(Devices, Opening, testing::Values("fake", "vulkan"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace vyre::tests
