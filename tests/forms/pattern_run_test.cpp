#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forms/form_runner.hpp"
#include "tests/forms/pattern_modules.hpp"
#include "tests/support/capabilities.hpp"

// Kernels as compilers write them, in every form beside what an oracle says.

namespace vyre::tests {
namespace {

using program::FormKind;
using program::Program;

class Patterns : public testing::TestWithParam<bool> {};

TEST_P(Patterns, GiveWhatTheOracleSaysInEveryForm) {
  const auto device = open_form_device({.robust = GetParam()});
  ASSERT_TRUE(device.has_value()) << to_string(device.error());
  int modules = 0;
  int ran = 0;
  std::string left_out;
  for (const PatternModule& pattern : pattern_modules()) {
    SCOPED_TRACE(pattern.module.name);
    const bool leaves_its_view = pattern.module.name.ends_with("_outside");
    if (leaves_its_view && !GetParam()) continue;  // Nothing is promised without checks.
    const Result<Program> program = make_program(pattern.module);
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    ++modules;
    if (!can_run(**device, *program)) {
      EXPECT_TRUE(is_refused_by_name(**device, *program));
      left_out += pattern.module.name + ": " + missing_capability((*device)->info(), *program) + "\n";
      continue;
    }
    constexpr std::size_t kItems = 3;
    const std::vector<FormItem> items(
        kItems, {.groups = pattern.module.groups, .buffers = pattern.module.buffers, .params = pattern.module.params});
    int forms = 0;
    for (const FormKind kind : program::kAllForms) {
      SCOPED_TRACE(to_string(kind));
      const auto pipeline = (*device)->compile(*program, {.form = kind});
      if (!pipeline) {
        // A loop that ends at a pointer has no bound that can be proven.
        EXPECT_THAT(pipeline.error().message, testing::HasSubstr("the device")) << to_string(pipeline.error());
        continue;
      }
      const auto outcome = run_items(**device, *pipeline, items);
      ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
      EXPECT_EQ(difference(outcome->contents, std::vector<Contents>(kItems, pattern.expected)), "");
      EXPECT_EQ(outcome->touched, "");
      EXPECT_TRUE((*device)->free(*pipeline).has_value());
      ++forms;
    }
    // Only those that work in order may be missing.
    EXPECT_GE(forms, 3);
    ran += forms;
  }
  EXPECT_GE(modules, 7);
  RecordProperty("runs", ran);
  RecordProperty("left_out", left_out);
}

INSTANTIATE_TEST_SUITE_P(Vulkan, Patterns, testing::Bool(),
                         [](const auto& info) { return info.param ? "checked" : "unchecked"; });

}  // namespace
}  // namespace vyre::tests
