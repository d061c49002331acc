#include "tests/forms/hard_modules.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/backend/decorators.hpp>
#include <vyre/backend/device.hpp>

#include <backends/vulkan/vulkan_backend.hpp>
#include "tests/forms/bounds_modules.hpp"
#include "tests/support/capabilities.hpp"
#include "tests/support/drivers.hpp"

// The modules themselves: that each is a program, or is none for the reason it says, and as written gives what it says.

namespace vyre::tests {
namespace {

using backend::BufferRange;
using backend::Device;
using program::Program;
using testing::HasSubstr;

using Contents = std::vector<std::vector<std::byte>>;

Result<std::unique_ptr<Device>> open_vulkan() {
  keep_drivers_loaded();
  const auto backend = backends::vulkan::make_vulkan_backend();
  VYRE_ASSIGN(const std::vector<backend::DeviceInfo> infos, backend->devices());
  if (infos.empty()) return fail(ErrorCode::Unavailable, "there is no device");
  VYRE_ASSIGN(std::unique_ptr<backend::DeviceDriver> driver, backend->open(infos.front(), {}));
  return std::make_unique<Device>(backend::make_checking_driver(std::move(driver)), backend::DeviceOptions{});
}

/// What a dispatch leaves in the buffers.
Result<Contents> run(Device& device, const HardModule& module, const Program& program) {
  VYRE_ASSIGN(const backend::PipelineHandle pipeline, device.compile(program, {.values = module.values}));
  std::vector<BufferRange> ranges;
  for (const std::vector<std::byte>& bytes : module.buffers) {
    VYRE_ASSIGN(const backend::BufferHandle buffer, device.allocate({.size = bytes.size()}));
    ranges.push_back({.buffer = buffer});
    VYRE_TRY(device.write(buffer, 0, bytes));
  }
  backend::CommandList list;
  list.dispatch(pipeline, ranges, module.groups, module.params);
  VYRE_ASSIGN(const backend::Ticket ticket, device.submit(list));
  VYRE_TRY(device.wait(ticket));
  Contents contents = module.buffers;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    VYRE_TRY(device.read(ranges[i].buffer, 0, contents[i]));
    VYRE_TRY(device.free(ranges[i].buffer));
  }
  VYRE_TRY(device.free(pipeline));
  return contents;
}

std::string difference(const Contents& actual, const Contents& expected) {
  std::string text;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto [at, other] = std::ranges::mismatch(actual[i], expected[i]);
    if (at == actual[i].end() && other == expected[i].end()) continue;
    text += fmt::format("buffer {} differs from byte {} on\n", i, at - actual[i].begin());
  }
  return text;
}

TEST(HardModules, AreProgramsOrSayWhyNot) {
  std::set<std::string> names;
  for (const HardModule& module : hard_modules()) {
    SCOPED_TRACE(module.name);
    EXPECT_TRUE(names.insert(module.name).second);
    const Result<Program> program = make_program(module);
    if (!module.no_program.empty()) {
      ASSERT_FALSE(program.has_value());
      EXPECT_THAT(to_string(program.error()), HasSubstr(module.no_program));
    } else {
      EXPECT_TRUE(program.has_value()) << to_string(program.error());
    }
  }
  EXPECT_GE(names.size(), 150U);
}

TEST(HardModules, RefusalsNameAFormOnce) {
  for (const HardModule& module : hard_modules()) {
    SCOPED_TRACE(module.name);
    std::set<std::string> forms;
    for (const Refusal& refusal : module.refused) {
      EXPECT_THAT(refusal.form, testing::AnyOf("pointer", "merged", "persistent", "chain"));
      EXPECT_NE(refusal.word, "");
      EXPECT_TRUE(forms.insert(refusal.form).second);
    }
  }
}

TEST(HardModulesOnVulkan, GiveTheSameBytesTwice) {
  auto device = open_vulkan();
  ASSERT_TRUE(device.has_value()) << to_string(device.error());
  int ran = 0;
  std::map<std::string, Contents> seen;
  for (const HardModule& module : hard_modules()) {
    if (!module.no_program.empty() || !module.runs) continue;
    if (find_fault((*device)->info().driver, module) != nullptr) continue;
    SCOPED_TRACE(module.name);
    const Result<Program> program = make_program(module);
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    if (!can_run(**device, *program)) continue;
    const Result<Contents> first = run(**device, module, *program);
    EXPECT_TRUE(first.has_value()) << to_string(first.error());
    if (!first) continue;
    const Result<Contents> second = run(**device, module, *program);
    ASSERT_TRUE(second.has_value()) << to_string(second.error());
    EXPECT_EQ(difference(*second, *first), "");
    // However it is compiled.
    const auto [other, is_new] = seen.try_emplace(module.name.substr(0, module.name.find(".vulkan")), *first);
    if (!is_new) {
      EXPECT_EQ(difference(*first, other->second), "");
    }
    // One that does nothing would be in any form what it is in another.
    const bool is_empty = module.buffers.empty();
    EXPECT_NE(*first == module.buffers, !is_empty);
    ++ran;
  }
  EXPECT_GE(ran, 130);
  RecordProperty("modules", ran);
}

TEST(BoundsModules, ArePrograms) {
  std::set<std::string> names;
  for (const BoundsModule& bounds : bounds_modules()) {
    SCOPED_TRACE(bounds.module.name);
    EXPECT_TRUE(names.insert(bounds.module.name).second);
    EXPECT_EQ(bounds.expected.size(), bounds.module.buffers.size());
    const Result<Program> program = make_program(bounds.module);
    EXPECT_TRUE(program.has_value()) << to_string(program.error());
  }
}

TEST(BoundsModulesOnVulkan, GiveWhatIsExpectedWithIndicesInside) {
  auto device = open_vulkan();
  ASSERT_TRUE(device.has_value()) << to_string(device.error());
  int ran = 0;
  for (const BoundsModule& bounds : bounds_modules()) {
    if (!bounds.is_inside) continue;
    SCOPED_TRACE(bounds.module.name);
    const Result<Program> program = make_program(bounds.module);
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    if (!can_run(**device, *program)) continue;
    const Result<Contents> contents = run(**device, bounds.module, *program);
    ASSERT_TRUE(contents.has_value()) << to_string(contents.error());
    EXPECT_EQ(difference(*contents, bounds.expected), "");
    EXPECT_NE(bounds.module.buffers, bounds.expected);
    ++ran;
  }
  EXPECT_GE(ran, 10);
  RecordProperty("modules", ran);
}

}  // namespace
}  // namespace vyre::tests
