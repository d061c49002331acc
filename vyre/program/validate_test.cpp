#include <vyre/program/validate.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv/unified1/spirv.hpp>

#include <vyre/program/spirv/header.hpp>

namespace vyre::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kVersion16 = 0x0001'0600;

/// Ids of the module that `Module` makes; those of a test begin at `kFree`.
constexpr std::uint32_t kVoid = 1;
constexpr std::uint32_t kFunctionType = 2;
constexpr std::uint32_t kMain = 3;
constexpr std::uint32_t kEntry = 4;
constexpr std::uint32_t kFloat = 5;
constexpr std::uint32_t kUint = 6;
constexpr std::uint32_t kOne = 7;
constexpr std::uint32_t kBool = 8;
constexpr std::uint32_t kTrue = 9;
constexpr std::uint32_t kFree = 10;

/// A kernel that does nothing, to which a test adds what it is about.
class Module {
 public:
  explicit Module(std::uint32_t version = kVersion16) : version_{version} {}

  Module& annotate(spv::Op op, const Words& operands) { return append(annotations_, op, operands); }
  Module& declare(spv::Op op, const Words& operands) { return append(declarations_, op, operands); }
  Module& code(spv::Op op, const Words& operands) { return append(code_, op, operands); }
  Module& more(spv::Op op, const Words& operands) { return append(more_, op, operands); }

  [[nodiscard]] Words words() const {
    Words words = {spv::MagicNumber, version_, 0, bound_, 0};
    add(words, spv::OpCapability, {spv::CapabilityShader});
    add(words, spv::OpMemoryModel, {spv::AddressingModelLogical, spv::MemoryModelGLSL450});
    add(words, spv::OpEntryPoint, {spv::ExecutionModelGLCompute, kMain, 0x6e69'616d, 0});
    add(words, spv::OpExecutionMode, {kMain, spv::ExecutionModeLocalSize, 1, 1, 1});
    words.insert(words.end(), annotations_.begin(), annotations_.end());
    add(words, spv::OpTypeVoid, {kVoid});
    add(words, spv::OpTypeFunction, {kFunctionType, kVoid});
    add(words, spv::OpTypeFloat, {kFloat, 32});
    add(words, spv::OpTypeInt, {kUint, 32, 0});
    add(words, spv::OpConstant, {kUint, kOne, 1});
    add(words, spv::OpTypeBool, {kBool});
    add(words, spv::OpConstantTrue, {kBool, kTrue});
    words.insert(words.end(), declarations_.begin(), declarations_.end());
    add(words, spv::OpFunction, {kVoid, kMain, 0, kFunctionType});
    add(words, spv::OpLabel, {kEntry});
    words.insert(words.end(), code_.begin(), code_.end());
    add(words, spv::OpReturn, {});
    add(words, spv::OpFunctionEnd, {});
    words.insert(words.end(), more_.begin(), more_.end());
    return words;
  }

  Module& bound(std::uint32_t bound) {
    bound_ = bound;
    return *this;
  }

 private:
  static void add(Words& words, spv::Op op, const Words& operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
    words.insert(words.end(), operands.begin(), operands.end());
  }
  Module& append(Words& words, spv::Op op, const Words& operands) {
    add(words, op, operands);
    return *this;
  }

  std::uint32_t version_;
  std::uint32_t bound_ = 4'000'000;
  Words annotations_;
  Words declarations_;
  Words code_;
  Words more_;
};

std::string refusal(std::span<const std::uint32_t> words, const ValidationOptions& options = {}) {
  const Result<BlockLayout> result = validate(words, options);
  return result ? "valid" : to_string(result.error());
}

TEST(Validate, AcceptsAValidModule) { EXPECT_EQ(refusal(Module{}.words()), "valid"); }

TEST(Validate, RefusesWhatIsNoModule) {
  EXPECT_EQ(refusal({}), "error[compile-failed]: module is empty, it needs at least 5 words");
  EXPECT_EQ(refusal(Words{spv::MagicNumber, kVersion16}),
            "error[compile-failed]: module has 2 words, it needs at least 5");
  EXPECT_EQ(refusal(Words{0x1234, 2, 3, 4, 5}),
            "error[compile-failed]: module starts with 0x00001234, it needs 0x07230203");
  Words swapped = Module{}.words();
  for (std::uint32_t& word : swapped) word = std::byteswap(word);
  EXPECT_EQ(refusal(swapped),
            "error[compile-failed]: module has its bytes swapped, it needs the byte order of this machine");
}

TEST(Validate, NamesTheWordOfTheFirstMistake) {
  Words words = Module{}.words();
  words.back() = 7U << 16 | spv::OpFunctionEnd;
  EXPECT_THAT(refusal(words), HasSubstr("at word " + std::to_string(words.size() - 1) + ": Invalid instruction"));
  words.back() = 0;
  EXPECT_THAT(refusal(words), HasSubstr("Invalid instruction word count: 0"));

  // The store has no type that fits; it is the first instruction behind the label.
  const Words store = Module{}.code(spv::OpStore, {kOne, kTrue}).words();
  const std::size_t place = store.size() - 5;
  const Result<BlockLayout> result = validate(store);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::CompileFailed);
  EXPECT_EQ(result.error().message, "module is invalid at word " + std::to_string(place) +
                                        ": OpStore Pointer <id> '7[%uint_1]' is not a logical pointer.");
  EXPECT_THAT(result.error().context, ElementsAre("OpStore %uint_1 %true"));
}

TEST(Validate, ReadsTheTarget) {
  const Words words = Module{}.words();
  EXPECT_EQ(refusal(words, {.target = TargetEnvironment::Vulkan13}), "valid");
  EXPECT_EQ(refusal(words, {.target = static_cast<TargetEnvironment>(99)}),
            "error[invalid-argument]: the target is 99, it takes 0 (vulkan1.1) to 2 (vulkan1.3)");
  EXPECT_THAT(refusal(words, {.target = TargetEnvironment::Vulkan12}),
              HasSubstr("Invalid SPIR-V binary version 1.6 for target environment SPIR-V 1.5 (under Vulkan 1.2"));
  EXPECT_EQ(refusal(Module{0x0001'0500}.words(), {.target = TargetEnvironment::Vulkan12}), "valid");
  EXPECT_EQ(refusal(Module{0x0001'0300}.words(), {.target = TargetEnvironment::Vulkan11}), "valid");
}

TEST(Validate, FindsTheLayoutThatBlocksNeed) {
  // A vector of three behind a scalar, at 4 bytes.
  constexpr std::uint32_t kVector = kFree;
  constexpr std::uint32_t kBlock = kFree + 1;
  constexpr std::uint32_t kPointer = kFree + 2;
  constexpr std::uint32_t kBuffer = kFree + 3;
  Module module;
  module.annotate(spv::OpMemberDecorate, {kBlock, 0, spv::DecorationOffset, 0})
      .annotate(spv::OpMemberDecorate, {kBlock, 1, spv::DecorationOffset, 8})
      .annotate(spv::OpDecorate, {kBlock, spv::DecorationBlock})
      .annotate(spv::OpDecorate, {kBuffer, spv::DecorationDescriptorSet, 0})
      .annotate(spv::OpDecorate, {kBuffer, spv::DecorationBinding, 0})
      .declare(spv::OpTypeVector, {kVector, kFloat, 3})
      .declare(spv::OpTypeStruct, {kBlock, kFloat, kVector})
      .declare(spv::OpTypePointer, {kPointer, spv::StorageClassStorageBuffer, kBlock})
      .declare(spv::OpVariable, {kPointer, kBuffer, spv::StorageClassStorageBuffer});
  EXPECT_THAT(refusal(module.words(), {.loosest = BlockLayout::UniformStandard}),
              HasSubstr("member 1 is an improperly straddling vector at offset 8"));
  EXPECT_EQ(validate(module.words()).value(), BlockLayout::Scalar);
  EXPECT_EQ(validate(Module{}.words()).value(), BlockLayout::Standard);
  // Of two mistakes, the one that no layout mends is told.
  EXPECT_THAT(refusal(module.code(spv::OpStore, {kOne, kTrue}).words()), HasSubstr("is not a logical pointer"));
}

TEST(Validate, FindsUniformBlocksWithTheLayoutOfStorageBlocks) {
  constexpr std::uint32_t kArray = kFree;
  constexpr std::uint32_t kBlock = kFree + 1;
  constexpr std::uint32_t kPointer = kFree + 2;
  constexpr std::uint32_t kBuffer = kFree + 3;
  Module module;
  module.annotate(spv::OpDecorate, {kArray, spv::DecorationArrayStride, 4})
      .annotate(spv::OpMemberDecorate, {kBlock, 0, spv::DecorationOffset, 0})
      .annotate(spv::OpDecorate, {kBlock, spv::DecorationBlock})
      .annotate(spv::OpDecorate, {kBuffer, spv::DecorationDescriptorSet, 0})
      .annotate(spv::OpDecorate, {kBuffer, spv::DecorationBinding, 0})
      .declare(spv::OpTypeArray, {kArray, kFloat, kOne})
      .declare(spv::OpTypeStruct, {kBlock, kArray})
      .declare(spv::OpTypePointer, {kPointer, spv::StorageClassUniform, kBlock})
      .declare(spv::OpVariable, {kPointer, kBuffer, spv::StorageClassUniform});
  EXPECT_THAT(refusal(module.words(), {.loosest = BlockLayout::Standard}), HasSubstr("not satisfying alignment to 16"));
  EXPECT_EQ(validate(module.words()).value(), BlockLayout::UniformStandard);
}

TEST(Validate, NamesWhatIsNewerThanItself) {
  const auto with_first = [](spv::Op op, const Words& operands) {
    const Words rest = Module{}.words();
    Words words(rest.begin(), rest.begin() + spirv::kHeaderWords);
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
    words.insert(words.end(), operands.begin(), operands.end());
    words.insert(words.end(), rest.begin() + spirv::kHeaderWords, rest.end());
    return words;
  };
  const std::string known = ", which is newer than SPIR-V 1.6 revision 1, the newest that is known here";
  EXPECT_EQ(refusal(with_first(spv::OpCapability, {65'000})),
            "error[unsupported]: module has the capability 65000" + known);
  EXPECT_EQ(refusal(Module{}.annotate(spv::OpSource, {99, 1}).words()),
            "error[unsupported]: module has the source language 99" + known);
  EXPECT_EQ(refusal(Module{0x0001'0900}.words()), "error[unsupported]: module has the version 1.9" + known);
  Words words = Module{}.words();
  words.back() = 1U << 16 | 0xffff;
  EXPECT_EQ(refusal(words), "error[unsupported]: module has an instruction with opcode 65535 at word " +
                                std::to_string(words.size() - 1) + known);
  // "SPV_TOMORROW": the rest of the module is valid, and yet nobody knows what it means.
  const Words name{0x5f56'5053, 0x4f4d'4f54, 0x574f'5252, 0};
  Words extended = with_first(spv::OpExtension, name);
  std::rotate(extended.begin() + spirv::kHeaderWords, extended.begin() + spirv::kHeaderWords + 5,
              extended.begin() + spirv::kHeaderWords + 7);
  EXPECT_EQ(refusal(extended), "error[unsupported]: module has the extension 'SPV_TOMORROW'" + known);
}

TEST(Validate, RefusesModulesBeyondTheLimits) {
  EXPECT_EQ(refusal(Module{}.bound(spirv::kMaxIdBound).words()), "valid");
  EXPECT_EQ(refusal(Module{}.bound(spirv::kMaxIdBound + 1).words()),
            "error[invalid-argument]: module has an id bound of 4194304, the limit is 4194303");
  Words words = Module{}.words();
  words.resize(spirv::kMaxModuleBytes / 4 + 1);
  EXPECT_EQ(refusal(words), "error[invalid-argument]: module has 67108868 bytes, the limit is 67108864");
}

TEST(Validate, RefusesTypesThatUnfoldWithoutEnd) {
  Module doubled;
  Module nested;
  std::uint32_t last = kFloat;
  for (std::uint32_t i = 0; i < 40; ++i) {
    doubled.declare(spv::OpTypeStruct, {kFree + i, last, last});
    last = kFree + i;
  }
  EXPECT_EQ(refusal(doubled.words()),
            "error[invalid-argument]: type 24 has 32768 members, those of its members included, the limit is 16384");
  last = kFloat;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    nested.declare(spv::OpTypeArray, {kFree + i, last, kOne});
    last = kFree + i;
  }
  EXPECT_EQ(refusal(nested.words()), "error[invalid-argument]: type 264 is 256 types deep, the limit is 255");
}

TEST(Validate, RefusesMoreThanAnyKernelHas) {
  const auto repeated = [](std::uint32_t count, const auto& add) {
    Module module;
    for (std::uint32_t i = 0; i < count; ++i) add(module, kFree + 4 * i);
    return refusal(module.words());
  };
  const auto block = [](Module& module, std::uint32_t id) {
    module.code(spv::OpBranch, {id}).code(spv::OpLabel, {id});
  };
  EXPECT_EQ(repeated(8'000, block), "valid");
  EXPECT_EQ(repeated(9'000, block), "error[invalid-argument]: module has 8193 blocks, the limit is 8192");
  const auto function = [](Module& module, std::uint32_t id) {
    module.more(spv::OpFunction, {kVoid, id, 0, kFunctionType})
        .more(spv::OpLabel, {id + 1})
        .more(spv::OpReturn, {})
        .more(spv::OpFunctionEnd, {});
  };
  EXPECT_EQ(repeated(4'000, function), "valid");
  EXPECT_EQ(repeated(5'000, function), "error[invalid-argument]: module has 4097 functions, the limit is 4096");
  EXPECT_EQ(repeated(3'000,
                     [](Module& module, std::uint32_t id) {
                       module.declare(spv::OpTypePointer, {id, spv::StorageClassPrivate, kFloat});
                     }),
            "error[invalid-argument]: module has 2049 types, the limit is 2048");
  EXPECT_EQ(repeated(5'000, [](Module& module, std::uint32_t id) { module.declare(spv::OpConstant, {kUint, id, 7}); }),
            "error[invalid-argument]: module has 4194858 steps to name repeated constants and arrays, the limit is "
            "4194304");
  EXPECT_EQ(repeated(5'000,
                     [](Module& module, std::uint32_t id) {
                       module.annotate(spv::OpDecorate, {kFree, spv::DecorationLocation, id})
                           .annotate(spv::OpGroupDecorate, {kFree, id, id + 1, id + 2});
                     }),
            "error[invalid-argument]: module has 16778520 decorations in groups, the limit is 16777216");
}

TEST(Validate, RefusesControlFlowThatNestsTooDeep) {
  const auto nested = [](std::uint32_t depth) {
    Module module;
    for (std::uint32_t i = 0; i < depth; ++i) {
      module.code(spv::OpSelectionMerge, {kFree + 2 * i + 1, 0})
          .code(spv::OpBranchConditional, {kTrue, kFree + 2 * i, kFree + 2 * i + 1})
          .code(spv::OpLabel, {kFree + 2 * i});
    }
    for (std::uint32_t i = depth; i-- > 0;) {
      module.code(spv::OpBranch, {kFree + 2 * i + 1}).code(spv::OpLabel, {kFree + 2 * i + 1});
    }
    return refusal(module.words());
  };
  EXPECT_EQ(nested(100), "valid");
  EXPECT_EQ(nested(2'000),
            "error[invalid-argument]: module has 16004000000 blocks times the square of their nesting, the limit is "
            "67108864");
}

TEST(Validate, IsNotSlowedDownByNames) {
  // All values have one name: a message about them would number them one by one.
  Module module;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    module.annotate(spv::OpName, {kFree + i, 0x0061'6161});
    module.code(spv::OpCopyObject, {kBool, kFree + i, kTrue});
  }
  EXPECT_EQ(refusal(module.words()), "valid");
  Words cut = module.words();
  cut.push_back(0);
  EXPECT_THAT(refusal(cut), HasSubstr("Invalid instruction word count: 0"));
  module.code(spv::OpStore, {kOne, kTrue});
  const Words words = module.words();
  EXPECT_THAT(refusal(words), HasSubstr("module is invalid at word " + std::to_string(words.size() - 5) + ": OpStore"));
}

TEST(Validate, TakesWordsFromBytes) {
  const Words words = Module{}.words();
  const std::span<const std::byte> bytes = std::as_bytes(std::span{words});
  EXPECT_EQ(to_words(bytes), words);
  EXPECT_EQ(to_words({}), Words{});
  EXPECT_EQ(to_string(to_words(bytes.first(7)).error()),
            "error[compile-failed]: module has 7 bytes, it needs a multiple of 4");
  const std::vector<std::byte> large(spirv::kMaxModuleBytes + 4);
  EXPECT_EQ(to_string(to_words(large).error()),
            "error[invalid-argument]: module has 67108868 bytes, the limit is 67108864");
}

TEST(Validate, SurvivesModulesCutAnywhere) {
  const Words words = Module{}.words();
  for (std::size_t length = 0; length < words.size(); ++length) {
    EXPECT_FALSE(validate(std::span{words}.first(length))) << length;
  }
}

}  // namespace
}  // namespace vyre::program
