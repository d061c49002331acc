#include "tests/support/corpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/support/run_command.hpp"

namespace vyre::tests {

std::string Variant::name() const {
  std::string text{to_string(target)};  // "vulkan1.1"
  std::erase(text, '.');
  text[0] = 'V';
  return text + (optimise ? "_O" : "_O0");
}

std::vector<Variant> all_variants() {
  using enum program::TargetEnvironment;
  std::vector<Variant> variants;
  for (const auto target : {Vulkan11, Vulkan12, Vulkan13}) {
    for (const bool optimise : {false, true}) variants.push_back({.target = target, .optimise = optimise});
  }
  return variants;
}

std::vector<Variant> chosen_variants() {
  const std::vector<Variant> all = all_variants();
  return std::getenv("VYRE_ALL_VARIANTS") != nullptr ? all : std::vector{all.front(), all.back()};
}

std::vector<std::uint32_t> compile_kernel(const std::string& name, const Variant& variant) {
  const std::string path = VYRE_SOURCE_DIR "/tests/kernels/" + name + ".comp";
  const std::string target{to_string(variant.target)};
  const CommandResult result =
      run_command({"glslc", "--target-env=" + target, variant.optimise ? "-O" : "-O0", path, "-o", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::uint32_t> words(result.out.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), result.out.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

}  // namespace vyre::tests
