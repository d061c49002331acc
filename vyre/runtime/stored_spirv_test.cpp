#include <vyre/runtime/stored_spirv.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/program/program.hpp>

#include "tests/support/temporary_folder.hpp"

namespace vyre::runtime {
namespace {

namespace fs = std::filesystem;
using program::Hash128;
using program::Program;
using program::ProgramOptions;

constexpr std::string_view kKernel = R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "size.h"
layout(local_size_x = SIZE) in;
layout(binding = 0) buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = ADDED; })";

/// Counts what it is asked, and keeps it in a store.
class Counting final : public program::SpirvCache {
 public:
  explicit Counting(std::shared_ptr<store::Store> store) : stored_{std::move(store)} {}

  std::optional<std::vector<std::uint32_t>> find(const Hash128& key) override {
    auto found = stored_.find(key);
    hits += found ? 1 : 0;
    return found;
  }
  void put(const Hash128& key, std::span<const std::uint32_t> words) override {
    ++puts;
    stored_.put(key, words);
  }

  int hits = 0;
  int puts = 0;

 private:
  StoredSpirv stored_;
};

class StoredSpirvTest : public testing::Test {
 protected:
  StoredSpirvTest() { include("#define SIZE 64\n"); }

  void include(const std::string& text) const { std::ofstream{folder_.path() / "size.h"} << text; }
  [[nodiscard]] std::shared_ptr<store::Store> open() const {
    return store::Store::open({.folder = folder_.path() / "vyre"});
  }
  [[nodiscard]] ProgramOptions options(const std::shared_ptr<program::SpirvCache>& cache) const {
    return {.name = "kernel", .defines = {{"ADDED", "1"}}, .include_folders = {folder_.path()}, .cache = cache};
  }

  TemporaryFolder folder_;
};

TEST_F(StoredSpirvTest, AKernelIsCompiledOnce) {
  Hash128 hash;
  {
    const auto cache = std::make_shared<Counting>(open());
    hash = Program::from_glsl(kKernel, options(cache)).value().module_hash();
    EXPECT_EQ(cache->puts, 1);
    EXPECT_EQ(cache->hits, 0);
  }
  const auto cache = std::make_shared<Counting>(open());
  EXPECT_EQ(Program::from_glsl(kKernel, options(cache)).value().module_hash(), hash);
  EXPECT_EQ(cache->puts, 0);
  EXPECT_EQ(cache->hits, 1);
}

TEST_F(StoredSpirvTest, WhatTheModuleDependsOnIsInTheKey) {
  const auto cache = std::make_shared<Counting>(open());
  ASSERT_TRUE(Program::from_glsl(kKernel, options(cache)));
  ProgramOptions other = options(cache);
  other.defines[0].second = "2";
  ASSERT_TRUE(Program::from_glsl(kKernel, other));
  other = options(cache);
  other.optimise = false;
  ASSERT_TRUE(Program::from_glsl(kKernel, other));
  other = options(cache);
  other.target = program::TargetEnvironment::Vulkan12;
  ASSERT_TRUE(Program::from_glsl(kKernel, other));
  ASSERT_TRUE(Program::from_glsl(std::string{kKernel} + "\n", options(cache)));
  include("#define SIZE 32\n");
  EXPECT_EQ(Program::from_glsl(kKernel, options(cache)).value().interface().workgroup.size[0], 32U);
  EXPECT_EQ(cache->puts, 6);
  EXPECT_EQ(cache->hits, 0);
}

TEST_F(StoredSpirvTest, AKernelThatDoesNotCompileIsNotKept) {
  const auto cache = std::make_shared<Counting>(open());
  EXPECT_FALSE(Program::from_glsl("#version 450\nvoid main() { nothing(); }", options(cache)));
  EXPECT_EQ(cache->puts, 0);
}

/// Gives words that are no module.
class Wrong final : public program::SpirvCache {
 public:
  std::optional<std::vector<std::uint32_t>> find(const Hash128&) override { return std::vector<std::uint32_t>(9, 7); }
  void put(const Hash128&, std::span<const std::uint32_t>) override {}
};

TEST_F(StoredSpirvTest, WrongWordsMakeNothingFail) {
  const auto wrong = std::make_shared<Wrong>();
  EXPECT_TRUE(Program::from_glsl(kKernel, options(wrong)));
  const fs::path file = folder_.path() / "kernel.comp";
  std::ofstream{file} << kKernel;
  EXPECT_TRUE(Program::from_file(file, options(wrong)));
}

}  // namespace
}  // namespace vyre::runtime
