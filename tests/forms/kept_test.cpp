#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forms/form_runner.hpp"
#include "tests/forms/hard_modules.hpp"

// Kernels that keep much, of which drivers end the process where nobody stops them: each is refused by its size or
// right, in every form. Run once for each driver.

namespace vyre::tests {
namespace {

using backend::Device;
using program::FormKind;
using program::Kept;
using program::Program;

constexpr std::uint32_t kInvocations = 8;

/// Eight invocations that leave `expected(i)` in the last buffer, as `result[i]`.
struct LargeKernel {
  std::string name;
  std::string glsl;
  std::size_t input_words = kInvocations;
  std::function<std::uint32_t(std::uint32_t)> expected;
  std::string refused_by = {};  ///< What a refusal names.
};

std::string header(std::string_view globals) {
  return fmt::format(
      "#version 460\nlayout(local_size_x = {}) in;\n{}\n"
      "layout(binding = 1) buffer Result {{ uint result[]; }};\n",
      kInvocations, globals);
}

constexpr std::string_view kWords = "layout(binding = 0) buffer Words { uint words[]; };";

/// Sixteen elements of an array are written, one is read.
std::string array_body(std::uint32_t elements) {
  return fmt::format(
      "  for (uint k = 0; k < 16; ++k) large[(words[i] + k * 37) % {0}] = 100 * i + k;\n"
      "  result[i] = large[(words[i] + 5 * 37) % {0}];\n",
      elements);
}

LargeKernel private_array(std::uint32_t bytes) {
  return {.name = fmt::format("private array of {} bytes", bytes),
          .glsl = header(kWords) + fmt::format("uint large[{}];\nvoid main() {{\n  const uint i = "
                                               "gl_LocalInvocationIndex;\n{}}}\n",
                                               bytes / 4, array_body(bytes / 4)),
          .expected = [](std::uint32_t i) { return 100 * i + 5; },
          .refused_by = "'large'"};
}

LargeKernel function_array(std::uint32_t bytes) {
  return {.name = fmt::format("function array of {} bytes", bytes),
          .glsl = header(kWords) + fmt::format("void main() {{\n  const uint i = gl_LocalInvocationIndex;\n  uint "
                                               "large[{}];\n{}}}\n",
                                               bytes / 4, array_body(bytes / 4)),
          .expected = [](std::uint32_t i) { return 100 * i + 5; },
          .refused_by = "'large'"};
}

LargeKernel shared_array(std::uint32_t bytes) {
  return {.name = fmt::format("shared array of {} bytes", bytes),
          .glsl = header(kWords) + fmt::format("shared uint large[{0}];\nvoid main() {{\n"
                                               "  const uint i = gl_LocalInvocationIndex;\n"
                                               "  large[i * {1}] = i + words[i];\n  barrier();\n"
                                               "  result[i] = large[(7 - i) * {1}];\n}}\n",
                                               bytes / 4, bytes / 4 / kInvocations),
          .expected = [](std::uint32_t i) { return 2 * (7 - i); },
          .refused_by = "'large'"};
}

/// A structure that is passed and returned by value.
LargeKernel structure(std::uint32_t bytes) {
  const std::uint32_t elements = bytes / 4;
  return {.name = fmt::format("structure of {} bytes by value", bytes),
          .glsl = header(fmt::format("struct Large {{ uint values[{}]; }};\n"
                                     "layout(binding = 0) buffer Words {{ Large words; }};",
                                     elements)) +
                  fmt::format("Large change(Large large, uint i) {{ large.values[i] += 7; return large; }}\n"
                              "void main() {{\n  const uint i = gl_LocalInvocationIndex;\n"
                              "  const Large large = change(words, i);\n  result[i] = large.values[i];\n}}\n"),
          .input_words = elements,
          .expected = [](std::uint32_t i) { return i + 7; },
          .refused_by = "bytes"};
}

/// Functions that call one another, each with an array of its own.
LargeKernel call_chain(std::uint32_t depth, std::uint32_t bytes) {
  const std::uint32_t elements = bytes / 4;
  std::string text = header(kWords) + "uint call_0(uint i) { return words[i]; }\n";
  for (std::uint32_t k = 1; k <= depth; ++k) {
    text += fmt::format(
        "uint call_{0}(uint i) {{\n  uint large_{0}[{2}];\n  large_{0}[(i + words[i]) % {2}] = i;\n"
        "  return call_{1}(i) + large_{0}[(2 * i) % {2}];\n}}\n",
        k, k - 1, elements);
  }
  text += fmt::format("void main() {{ const uint i = gl_LocalInvocationIndex; result[i] = call_{}(i); }}\n", depth);
  return {.name = fmt::format("{} calls with {} bytes each", depth, bytes),
          .glsl = std::move(text),
          .expected = [depth](std::uint32_t i) { return i + depth * i; },
          .refused_by = "'large_"};
}

std::vector<LargeKernel> large_kernels() {
  return {private_array(1 << 10),    private_array(4 << 10), private_array(20 << 10), private_array(60 << 10),
          private_array(256 << 10),  private_array(1 << 20), function_array(1 << 10), function_array(20 << 10),
          function_array(256 << 10), shared_array(16 << 10), shared_array(1 << 20),   structure(256),
          structure(16 << 10),       call_chain(40, 64),     call_chain(40, 2 << 10), call_chain(200, 1 << 10)};
}

class KeptTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = open_form_device();
    ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
    device_ = *std::move(opened);
  }
  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] bool fits(const program::Interface& interface) {
    const backend::Limits& limits = device().info().limits;
    return interface.kept.variable_bytes <= limits.max_variable_bytes &&
           interface.kept.value_bytes <= limits.max_value_bytes && interface.shared_bytes <= limits.max_shared_bytes;
  }

 private:
  std::unique_ptr<Device> device_;
};

std::vector<std::byte> to_bytes(const std::vector<std::uint32_t>& words) {
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

TEST_F(KeptTest, LargeKernelsAreRefusedOrRightInEveryForm) {
  for (const LargeKernel& kernel : large_kernels()) {
    SCOPED_TRACE(kernel.name);
    const Result<Program> program = Program::from_glsl(kernel.glsl, {.name = "large", .optimise = false});
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    std::vector<std::uint32_t> input(kernel.input_words);
    for (std::uint32_t i = 0; i < input.size(); ++i) input[i] = i;
    std::vector<std::uint32_t> expected(kInvocations);
    for (std::uint32_t i = 0; i < kInvocations; ++i) expected[i] = kernel.expected(i);
    const FormItem item{.buffers = {to_bytes(input), std::vector<std::byte>(kInvocations * 4)}};
    for (const FormKind form : program::kAllForms) {
      SCOPED_TRACE(to_string(form));
      const auto pipeline = device().compile(*program, {.form = form});
      if (!pipeline) {
        EXPECT_EQ(pipeline.error().code, ErrorCode::Unsupported) << to_string(pipeline.error());
        if (form == FormKind::Descriptor) {
          EXPECT_FALSE(fits(program->interface())) << to_string(pipeline.error());
          EXPECT_THAT(pipeline.error().message, testing::HasSubstr(kernel.refused_by));
          EXPECT_THAT(pipeline.error().message, testing::HasSubstr("the device's limit is"));
        }
        continue;
      }
      EXPECT_TRUE(fits(program->interface()));
      const auto outcome = run_items(device(), *pipeline, {item, item});
      ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
      for (const Contents& contents : outcome->contents) EXPECT_EQ(contents[1], to_bytes(expected));
      EXPECT_EQ(outcome->touched, "");
      EXPECT_TRUE(device().free(*pipeline).has_value());
    }
  }
}

TEST_F(KeptTest, AValueThatIsCopiedAsAWholeIsRefusedByItsSize) {
  for (const HardModule& module : hard_modules()) {
    if (module.name != "huge_value") continue;
    const Result<Program> program = make_program(module);
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    EXPECT_EQ(program->interface().kept.value_bytes, 16'640U);
    for (const FormKind form : program::kAllForms) {
      SCOPED_TRACE(to_string(form));
      const auto pipeline = device().compile(*program, {.form = form});
      ASSERT_FALSE(pipeline.has_value());
      EXPECT_EQ(pipeline.error().code, ErrorCode::Unsupported);
      EXPECT_THAT(pipeline.error().message, testing::HasSubstr("the value loaded from binding 0.0 has 16640 bytes"));
    }
  }
}

/// Sizes that a driver cannot take come in every mixture, and nothing is left behind.
TEST_F(KeptTest, FiveHundredHostileModulesInOneProcess) {
  std::mt19937 random{37};
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    // 64 bytes to 16 MiB, as likely at every scale.
    const std::uint32_t bytes = (64U << below(19)) + 4 * below(16);
    LargeKernel kernel;
    switch (below(5)) {
      case 0: kernel = private_array(bytes); break;
      case 1: kernel = function_array(bytes); break;
      case 2: kernel = shared_array(bytes); break;
      // Drivers compile values in the square of their size.
      case 3: kernel = structure(bytes < 2048 ? 64 : bytes); break;
      default: kernel = call_chain(1 + below(30), 64 + bytes / 64); break;
    }
    SCOPED_TRACE(kernel.name);
    const Result<Program> program = Program::from_glsl(kernel.glsl, {.name = "hostile", .optimise = below(2) == 0});
    if (!program) {
      EXPECT_NE(program.error().code, ErrorCode::Internal) << to_string(program.error());
      ++refused;
      continue;
    }
    const auto pipeline = device().compile(*program, {.form = program::kAllForms[below(program::kForms)]});
    if (!pipeline) {
      EXPECT_EQ(pipeline.error().code, ErrorCode::Unsupported) << to_string(pipeline.error());
      ++refused;
      continue;
    }
    EXPECT_TRUE(device().free(*pipeline).has_value());
  }
  EXPECT_GT(refused, 50);
  EXPECT_LT(refused, 450);
}

}  // namespace
}  // namespace vyre::tests
