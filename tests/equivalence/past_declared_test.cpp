#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/forms/bounds_modules.hpp"
#include "tests/support/capabilities.hpp"

// Kernels whose indices leave the array, vector or matrix they go into and stay inside the view: sized arrays, views
// that end within an element or at an odd byte, lengths, headers, atomics. In every launch mode the same bytes.

namespace vyre::tests {
namespace {

using program::Program;
using runtime::Argument;
using runtime::BufferView;
using runtime::LaunchMode;
using runtime::Session;

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class PastDeclared : public testing::TestWithParam<LaunchMode> {};

TEST_P(PastDeclared, TheSameBytesInEveryMode) {
  const std::shared_ptr<backend::Device> device = open_device("vulkan");
  Session session = must(Session::open(device, {.mode = GetParam(), .calibrate_after = {}}));
  int modules = 0;
  std::string left_out;
  for (const BoundsModule& bounds : bounds_modules()) {
    const HardModule& module = bounds.module;
    // What a driver does outside of views is its own.
    if (!bounds.is_inside || module.name.ends_with("vulkan1.1")) continue;
    SCOPED_TRACE(module.name);
    const Program program = must(make_program(module));
    ++modules;
    if (!can_run(*device, program)) {
      EXPECT_TRUE(is_refused_by_name(*device, program));
      left_out += module.name + ": " + missing_capability(device->info(), program) + "\n";
      continue;
    }
    std::vector<std::vector<BufferView>> items(2);
    for (std::vector<BufferView>& views : items) {
      for (const std::vector<std::byte>& bytes : module.buffers) {
        views.push_back(must(session.bytes(bytes.size())));
        must(session.write_bytes(views.back(), bytes));
      }
      const std::vector<Argument> arguments(views.begin(), views.end());
      must(session.dispatch(program, arguments,
                            {.groups = {module.groups[0], module.groups[1], module.groups[2]},
                             .params = runtime::Params::from_bytes(module.params),
                             .values = module.values}));
    }
    must(session.finish());
    for (const std::vector<BufferView>& views : items) {
      for (std::size_t i = 0; i < views.size(); ++i) {
        std::vector<std::byte> actual(views[i].size);
        must(session.read_bytes(views[i], actual));
        must(session.finish());
        EXPECT_EQ(actual, bounds.expected[i]) << "buffer " << i;
        must(session.free(views[i]));
      }
    }
  }
  EXPECT_GE(modules, 40);
  RecordProperty("modules", modules);
  RecordProperty("left_out", left_out);
}

INSTANTIATE_TEST_SUITE_P(VulkanEquivalence, PastDeclared, testing::ValuesIn(kModes),
                         [](const auto& info) { return std::string{to_string(info.param)}; });

}  // namespace
}  // namespace vyre::tests
