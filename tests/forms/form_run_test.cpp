#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forms/bounds_modules.hpp"
#include "tests/forms/form_runner.hpp"
#include "tests/forms/hard_modules.hpp"
#include "tests/forms/random_kernel.hpp"
#include "tests/support/capabilities.hpp"

// Kernels that are hard to rewrite, that leave their views, and that nobody wrote, in every form beside what they do as
// written.

namespace vyre::tests {
namespace {

using backend::Device;
using program::FormKind;
using program::Program;

constexpr FormKind kOtherForms[] = {FormKind::Pointer, FormKind::Merged, FormKind::Persistent, FormKind::Chain};

class Forms : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto opened = open_form_device({.robust = GetParam()});
    ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
    device_ = *std::move(opened);
  }
  [[nodiscard]] Device& device() { return *device_; }

 private:
  std::unique_ptr<Device> device_;
};

std::vector<FormItem> items_of(const HardModule& module, std::size_t count) {
  return std::vector<FormItem>(count, {.groups = module.groups, .buffers = module.buffers, .params = module.params});
}

const Refusal* find_refusal(const HardModule& module, FormKind kind) {
  for (const Refusal& each : module.refused) {
    if (each.form == to_string(kind)) return &each;
  }
  return nullptr;
}

TEST_P(Forms, HardModulesGiveTheSameInEveryForm) {
  int ran = 0;
  for (const HardModule& module : hard_modules()) {
    if (!module.no_program.empty() || find_fault(device().info().driver, module) != nullptr) continue;
    SCOPED_TRACE(module.name);
    const Result<Program> program = make_program(module);
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    const bool runs = module.runs && can_run(device(), *program);
    const std::vector<FormItem> items = items_of(module, 3);
    FormOutcome expected;
    if (runs) {
      const auto written = device().compile(*program, {.values = module.values});
      ASSERT_TRUE(written.has_value()) << to_string(written.error());
      auto outcome = run_items(device(), *written, items);
      ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
      expected = *std::move(outcome);
      EXPECT_TRUE(device().free(*written).has_value());
    }
    for (const FormKind kind : kOtherForms) {
      SCOPED_TRACE(to_string(kind));
      const auto form = device().compile(*program, {.values = module.values, .form = kind});
      const Refusal* refusal = find_refusal(module, kind);
      if (!form) {
        EXPECT_EQ(form.error().code, ErrorCode::Unsupported);
        const bool is_limit = form.error().message.contains("the device");
        EXPECT_TRUE(refusal != nullptr || is_limit) << to_string(form.error());
        if (refusal != nullptr && (refusal->must || !is_limit)) {
          EXPECT_THAT(form.error().message, testing::HasSubstr(refusal->word));
        }
        continue;
      }
      const bool must_refuse = refusal != nullptr && refusal->must && GetParam();
      EXPECT_FALSE(must_refuse) << "it should be refused for " << refusal->word;
      if (runs && do_fit(device(), *form, items)) {
        const auto outcome = run_items(device(), *form, items);
        ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
        EXPECT_EQ(difference(outcome->contents, expected.contents), "");
        EXPECT_EQ(outcome->touched, "");
        ++ran;
      }
      EXPECT_TRUE(device().free(*form).has_value());
    }
  }
  EXPECT_GE(ran, 350);
  RecordProperty("runs", ran);
}

TEST_P(Forms, NothingOutsideAViewIsTouched) {
  int ran = 0;
  for (const BoundsModule& bounds : bounds_modules()) {
    const HardModule& module = bounds.module;
    if (!GetParam() && !bounds.is_inside) continue;  // Nothing is promised without checks.
    SCOPED_TRACE(module.name);
    const Result<Program> program = make_program(module);
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    if (!can_run(device(), *program)) continue;
    const std::vector<FormItem> items = items_of(module, 2);
    const std::vector<Contents> expected(2, bounds.expected);
    for (const FormKind kind : program::kAllForms) {
      // What a driver does outside of views is its own.
      if (kind == FormKind::Descriptor && !bounds.is_inside) continue;
      SCOPED_TRACE(to_string(kind));
      const auto form = device().compile(*program, {.values = module.values, .form = kind});
      if (!form) {
        EXPECT_THAT(form.error().message, testing::HasSubstr("the device")) << to_string(form.error());
        continue;
      }
      const auto outcome = run_items(device(), *form, items);
      ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
      // A view that ends within an element is for the kernel as written.
      std::vector<backend::BufferRange> views;
      for (const std::vector<std::byte>& bytes : module.buffers) views.push_back({.size = bytes.size()});
      if (device().fits_views(*form, views)) {
        EXPECT_EQ(difference(outcome->contents, expected), "");
      }
      EXPECT_EQ(outcome->touched, "");
      EXPECT_TRUE(device().free(*form).has_value());
      ++ran;
    }
  }
  EXPECT_GE(ran, 100);
  RecordProperty("runs", ran);
}

/// A number of the environment: `./dev test --full` asks for more kernels.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

// Most of the time goes into the driver, which no sanitizer looks at.
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kKernels = 20;
#elif defined(__has_feature)
constexpr std::uint64_t kKernels = __has_feature(address_sanitizer) ? 20 : 100;
#else
constexpr std::uint64_t kKernels = 100;
#endif

/// A random kernel that a driver gets wrong, by the mistake of a module of tests/forms.
struct RandomFault {
  std::string_view driver = {};
  std::uint64_t seed = 0;
  std::string_view module = {};
};
constexpr RandomFault kRandomFaults[] = {
    {"SwiftShader", 1'000'109, "values_of_loops"}, {"SwiftShader", 2'005'011, "matrix_arrays"},
    {"SwiftShader", 3'000'452, "values_of_loops"}, {"SwiftShader", 3'000'504, "values_of_loops"},
    {"SwiftShader", 3'000'709, "matrix_arrays"},
};

bool is_fault(std::string_view driver, std::uint64_t seed) {
  return std::ranges::any_of(
      kRandomFaults, [&](const RandomFault& each) { return each.seed == seed && driver.contains(each.driver); });
}

/// Runs random kernels in every form beside what they do as written.
void compare_random_kernels(Device& device, std::uint64_t first, std::uint64_t count,
                            RandomKernelOptions (*options_of)(std::uint64_t seed)) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (is_fault(device.info().driver, seed)) continue;
    SCOPED_TRACE(seed);
    const RandomKernel kernel = random_kernel(seed, options_of(seed));
    const auto program = Program::from_glsl(kernel.source, {.name = "random", .optimise = seed % 3 != 0});
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    std::vector<FormItem> items;
    for (std::uint64_t i = 0; i < 3; ++i) {
      const KernelWork work = i == 0 ? kernel.work : random_work(kernel.shape, seed * 31 + i);
      items.push_back({.groups = work.groups, .buffers = work.buffers, .params = work.params});
    }
    const auto written = device.compile(*program);
    ASSERT_TRUE(written.has_value()) << to_string(written.error());
    const auto expected = run_items(device, *written, items);
    ASSERT_TRUE(expected.has_value()) << to_string(expected.error());
    EXPECT_TRUE(device.free(*written).has_value());
    for (const FormKind kind : kOtherForms) {
      SCOPED_TRACE(to_string(kind));
      const auto form = device.compile(*program, {.form = kind});
      if (!form) {
        // What is found in memory that others write can end a loop, too.
        const auto is_right =
            testing::AnyOf(testing::HasSubstr("the device"), testing::HasSubstr("waits for another invocation, by Op"),
                           testing::HasSubstr("waits for another invocation, by a volatile"));
        EXPECT_THAT(form.error().message, is_right) << to_string(form.error());
        ++refused;
        continue;
      }
      if (!do_fit(device, *form, items)) {
        EXPECT_TRUE(device.free(*form).has_value());
        ++refused;
        continue;
      }
      const auto outcome = run_items(device, *form, items);
      ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
      EXPECT_EQ(difference(outcome->contents, expected->contents), "") << kernel.source;
      EXPECT_EQ(outcome->touched, "");
      EXPECT_TRUE(device.free(*form).has_value());
    }
  }
  // Those with a loop that no bound is known of have no persistent form here, and no chain.
  EXPECT_LT(refused, 2 * count);
  testing::Test::RecordProperty("refused", static_cast<int>(refused));
}

TEST_P(Forms, RandomKernelsGiveTheSameInEveryForm) {
  const std::uint64_t count = setting("VYRE_RANDOM_KERNELS", kKernels);
  const std::uint64_t first = setting("VYRE_FIRST_KERNEL", 1) + (GetParam() ? 1'000'000 : 2'000'000);
  compare_random_kernels(device(), first, count, [](std::uint64_t seed) -> RandomKernelOptions {
    return {.out_of_bounds = seed < 2'000'000 && seed % 4 == 0};
  });
}

// Indices that leave an array of a declared length and stay inside the view.
TEST_P(Forms, RandomKernelsThatPassDeclaredLengthsGiveTheSameInEveryForm) {
  const std::uint64_t count = setting("VYRE_RANDOM_KERNELS", kKernels);
  const std::uint64_t first = setting("VYRE_FIRST_KERNEL", 1) + (GetParam() ? 3'000'000 : 4'000'000);
  compare_random_kernels(device(), first, count,
                         [](std::uint64_t) -> RandomKernelOptions { return {.past_declared = true}; });
}

INSTANTIATE_TEST_SUITE_P(Vulkan, Forms, testing::Bool(),
                         [](const auto& info) { return info.param ? "checked" : "unchecked"; });

}  // namespace
}  // namespace vyre::tests
