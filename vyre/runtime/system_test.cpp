#include <vyre/runtime/system.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/tuner.hpp>

#include <backends/fake/fake_backend.hpp>

#include "tests/support/temporary_folder.hpp"

namespace vyre::runtime {
namespace {

/// A backend whose driver is not installed.
class AbsentBackend final : public backend::Backend {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "absent"; }
  [[nodiscard]] Result<std::vector<backend::DeviceInfo>> devices() override {
    return fail(ErrorCode::Unavailable, "there is no driver");
  }
  [[nodiscard]] Result<std::unique_ptr<backend::DeviceDriver>> open(const backend::DeviceInfo&,
                                                                    const backend::DeviceOptions&) override {
    return fail(ErrorCode::Unavailable, "there is no driver");
  }
};

System system_of(bool has_fake) {
  backend::Registry registry;
  EXPECT_TRUE(registry.add(std::make_unique<AbsentBackend>()));
  if (has_fake) {
    EXPECT_TRUE(registry.add(backends::fake::make_fake_backend({})));
  }
  return System{std::move(registry)};
}

std::string refusal(const System& system, const DevicePreference& preference) {
  const auto opened = system.open(preference);
  return opened ? "" : to_string(opened.error());
}

TEST(System, ListsTheDevicesOfAllBackendsThatHaveSome) {
  const auto devices = system_of(true).devices();
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 1);
  EXPECT_EQ(devices->front().name, "fake device");
}

TEST(System, SaysOfEveryBackendWhyThereIsNoDevice) {
  const auto none = system_of(false).devices();
  ASSERT_FALSE(none);
  EXPECT_EQ(to_string(none.error()), "error[unavailable]: there is no device\n  backend 'absent': there is no driver");
}

TEST(System, OpensTheFirstDeviceThatSuits) {
  const System system = system_of(true);
  EXPECT_EQ(refusal(system, {}), "");
  EXPECT_EQ(refusal(system, {.backend = "fake", .name = "fake dev"}), "");
  EXPECT_THAT(refusal(system, {.name = "GeForce"}),
              testing::HasSubstr("no device has 'GeForce' in its name; there are 'fake device' of fake"));
  EXPECT_THAT(refusal(system, {.backend = "absent"}), testing::HasSubstr("no device of backend 'absent'"));
  EXPECT_NE(refusal(system, {.backend = "metal"}), "") << "there is no such backend";
}

TEST(System, KeepsWhatIsLearnedInItsStore) {
  const TemporaryFolder folder;
  const auto system = [&] {
    backend::Registry registry;
    EXPECT_TRUE(registry.add(backends::fake::make_fake_backend({})));
    return System{std::move(registry), store::Store::open({.folder = folder.path() / "vyre"})};
  };
  std::optional<choice::Calibration> measured;
  {
    const auto device = system().open().value();
    EXPECT_FALSE(Tuner::of(*device)->is_calibrated());
    ASSERT_TRUE(Tuner::of(*device)->calibrate(*device, backend::kForever));
    measured = Tuner::of(*device)->calibration();
  }
  const System later = system();
  EXPECT_EQ(Tuner::of(*later.open().value())->calibration(), measured);
  EXPECT_NE(later.spirv_cache(), nullptr);
  EXPECT_EQ(system_of(true).spirv_cache(), nullptr) << "it has no store";
}

}  // namespace
}  // namespace vyre::runtime
