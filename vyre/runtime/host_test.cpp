#include <vyre/runtime/host.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace vyre::runtime {
namespace {

namespace fs = std::filesystem;

class HostTest : public testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root() / file).parent_path());
    std::ofstream{root() / file} << text;
  }
  [[nodiscard]] fs::path root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(HostTest, ReadsProcessorAndQuota) {
  write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: Somebody\nmodel name\t: Fast 9000\n\nmodel name\t: Other\n");
  write("proc/self/cgroup", "1:name=old:/\n0::/pods/mine\n");
  write("sys/fs/cgroup/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/pods/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/pods/mine/cpu.max", "150000 100000\n");
  const Host host = read_host(root());
  EXPECT_EQ(host.processor, "Fast 9000");
  EXPECT_GT(host.cores, 0U);
  EXPECT_EQ(host.quota, "150000 100000, 400000 100000");
}

TEST_F(HostTest, FilesThatAreNotThereSayNothing) {
  const Host host = read_host(root());
  EXPECT_EQ(host.processor, "");
  EXPECT_EQ(host.quota, "");
}

TEST_F(HostTest, AScopeDiffersByDeviceAndHost) {
  const backend::DeviceInfo device{
      .backend = "fake", .name = "a device", .configuration = "inline", .signature = "driver 1"};
  const Host host{.processor = "Fast 9000", .cores = 4};
  const std::string scope = scope_of(device, host);
  EXPECT_EQ(scope, scope_of(device, host));
  EXPECT_TRUE(scope.starts_with("a device, inline, ")) << scope;
  backend::DeviceInfo newer = device;
  newer.signature = "driver 2";
  EXPECT_NE(scope_of(newer, host), scope);
  Host other = host;
  other.cores = 2;
  EXPECT_NE(scope_of(device, other), scope);
  other = host;
  other.processor = "Slow 1";
  EXPECT_NE(scope_of(device, other), scope);
  other = host;
  other.quota = "50000 100000";
  EXPECT_NE(scope_of(device, other), scope);
}

}  // namespace
}  // namespace vyre::runtime
