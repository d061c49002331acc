#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/plan/binding_plan.hpp>
#include <vyre/program/reflect.hpp>

// Modules that are small on disk and large in what they ask for, straight into the reader without a validator. What is
// tested is that an answer comes at all: a run that takes minutes or gigabytes fails by the limits of the test.

namespace vyre::program {
namespace {

using spirv::Id;
using spirv::Module;
using testing::HasSubstr;

/// Builds words without any regard for whether they make sense.
class Words {
 public:
  Words() : words_{spv::MagicNumber, 0x10300, 0, 1, 0} {}

  Id fresh() { return words_[3]++; }

  void add(spv::Op op, const std::vector<std::uint32_t>& operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
    words_.insert(words_.end(), operands.begin(), operands.end());
  }
  Id define(spv::Op op, std::vector<std::uint32_t> operands, bool typed = false) {
    const Id id = fresh();
    operands.insert(operands.begin() + (typed ? 1 : 0), id);
    add(op, operands);
    return id;
  }
  void name(Id id, const std::string& text) {
    std::vector<std::uint32_t> operands{id};
    for (std::size_t i = 0; i <= text.size(); i += 4) {
      std::uint32_t word = 0;
      for (std::size_t k = 0; k < 4 && i + k < text.size(); ++k) {
        word |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i + k])) << (8 * k);
      }
      operands.push_back(word);
    }
    add(spv::OpName, operands);
  }
  /// The rest of a kernel whose main function has the given blocks.
  template <typename Body>
  void kernel(Id main, Body body) {
    const Id nothing = define(spv::OpTypeVoid, {});
    const Id type = define(spv::OpTypeFunction, {nothing});
    add(spv::OpFunction, {nothing, main, 0, type});
    body();
    add(spv::OpFunctionEnd, {});
  }
  void entry_point(Id main) { add(spv::OpEntryPoint, {spv::ExecutionModelGLCompute, main, 0x6e69616d, 0}); }

  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_;
};

/// A kernel that loads a buffer whose block has many members of one structure with a very long name.
Words many_members(std::uint32_t members, std::size_t name_length) {
  Words words;
  const Id main = words.fresh();
  words.entry_point(main);
  const Id inner = words.fresh();
  const Id block = words.fresh();
  words.name(inner, std::string(name_length, 'n'));
  for (std::uint32_t i = 0; i < members; ++i) {
    words.add(spv::OpMemberDecorate, {block, i, spv::DecorationOffset, 4 * i});
    words.add(spv::OpMemberDecorate, {block, i, spv::DecorationNonWritable});
  }
  const Id number = words.define(spv::OpTypeInt, {32, 0});
  words.add(spv::OpTypeStruct, {inner, number});
  std::vector<std::uint32_t> operands(members + 1, inner);
  operands[0] = block;
  words.add(spv::OpTypeStruct, operands);
  const Id pointer = words.define(spv::OpTypePointer, {spv::StorageClassStorageBuffer, block});
  const Id buffer = words.define(spv::OpVariable, {pointer, spv::StorageClassStorageBuffer}, true);
  words.kernel(main, [&] {
    words.define(spv::OpLabel, {});
    words.define(spv::OpLoad, {block, buffer}, true);
    words.add(spv::OpReturn, {});
  });
  return words;
}

TEST(HostileModules, ALongNameIsNotCopiedForEveryMember) {
  const Module module = Module::read(many_members(16'000, 250'000).words()).value();
  const Interface interface = reflect(module).value();
  ASSERT_EQ(interface.bindings.size(), 1U);
  EXPECT_EQ(interface.bindings[0].members.size(), 16'000U);
  EXPECT_LE(interface.bindings[0].members[0].type.size(), 256U);
}

TEST(HostileModules, ManyMembersAreFoundQuicklyAndTooManyAreSaid) {
  const Module module = Module::read(many_members(60'000, 1).words()).value();
  const Interface interface = reflect(module).value();
  ASSERT_FALSE(interface.unsupported.empty());
  EXPECT_THAT(interface.unsupported[0].why, HasSubstr("more than 100000 members"));
}

TEST(HostileModules, GroupsOfDecorationsAreCountedBeforeTheyAreMade) {
  Words words;
  const Id target = words.fresh();
  const Id group = words.fresh();
  for (int i = 0; i < 3'000; ++i) words.add(spv::OpDecorate, {group, spv::DecorationRelaxedPrecision});
  words.add(spv::OpDecorationGroup, {group});
  std::vector<std::uint32_t> operands(60'000, target);
  operands[0] = group;
  words.add(spv::OpGroupDecorate, operands);
  const Result<Module> module = Module::read(words.words());
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(module.error().message, HasSubstr("decorations with those of its groups, the limit is 1048576"));
}

TEST(HostileModules, ALadderOfBranchesDoesNotHoldUpTheSearchForLoops) {
  for (const std::uint32_t blocks : {10'000U, 200'000U}) {
    Words words;
    const Id main = words.fresh();
    words.entry_point(main);
    const Id truth_type = words.define(spv::OpTypeBool, {});
    const Id truth = words.define(spv::OpConstantTrue, {truth_type}, true);
    std::vector<Id> labels(blocks);
    std::ranges::generate(labels, [&] { return words.fresh(); });
    words.kernel(main, [&] {
      for (std::uint32_t i = 0; i < blocks; ++i) {
        words.add(spv::OpLabel, {labels[i]});
        words.add(spv::OpLoopMerge, {labels[blocks - 1], labels[i], 0});
        if (i + 1 == blocks) {
          words.add(spv::OpReturn, {});
        } else {  // Every block jumps on and back, and the order of the blocks is the worst for the search.
          words.add(spv::OpBranchConditional, {truth, labels[i + 1], labels[(i * 7'919U) % blocks]});
        }
      }
    });
    const Module module = Module::read(words.words()).value();
    const Interface interface = reflect(module).value();
    EXPECT_FALSE(interface.loops.empty());
    EXPECT_TRUE(std::ranges::none_of(interface.loops, [](const Loop& loop) { return loop.max_trips.has_value(); }));
  }
}

TEST(HostileModules, AnArrayOfABillionBuffersIsRefused) {
  const Interface interface{.bindings = {{.name = "b", .size = 4, .count = 1'000'000'000}}};
  EXPECT_EQ(plan::plan_program_bindings(interface, {}).error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace vyre::program
