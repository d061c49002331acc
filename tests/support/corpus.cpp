#include "tests/support/corpus.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include <vyre/program/glsl.hpp>

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

std::vector<std::uint32_t> compile_kernel(const std::string& name, const Variant& variant) {
  const std::string path = VYRE_SOURCE_DIR "/tests/kernels/" + name + ".comp";
  auto words = program::compile_glsl(read_file(path),
                                     {.file_name = path, .target = variant.target, .optimise = variant.optimise});
  EXPECT_TRUE(words.has_value()) << to_string(words.error());
  return words.value_or(std::vector<std::uint32_t>{});
}

}  // namespace vyre::tests
