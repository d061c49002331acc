#include <vyre/program/program.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/spirv.hpp"

namespace vyre::program {
namespace {

using testing::HasSubstr;

const std::string kSaxpy = R"(#version 450
layout(local_size_x = 64) in;
layout(constant_id = 1) const float kScale = 2.0;
layout(constant_id = 2) const bool kAdd = true;
layout(local_size_y_id = 7) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Params { uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= n) return;
  y[i] = kScale * x[i] + (kAdd ? y[i] : 0.0);
}
)";

/// A file that is gone at the end of the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, std::string_view contents)
      : path_{std::filesystem::temp_directory_path() /
              ("vyre_program_test_" + std::to_string(::getpid()) + "_" + name)} {
    std::ofstream{path_, std::ios::binary} << contents;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Program, KnowsItsInterface) {
  const Program program = Program::from_glsl(kSaxpy, {.name = "saxpy"}).value();
  EXPECT_EQ(program.name(), "saxpy");
  const Interface& interface = program.interface();
  ASSERT_EQ(interface.bindings.size(), 2U);
  EXPECT_EQ(interface.bindings[0].name, "X") << "names outlive the optimiser";
  EXPECT_EQ(interface.bindings[0].access, Access::Read);
  EXPECT_EQ(interface.bindings[1].access, Access::ReadWrite);
  EXPECT_EQ(interface.push_constants->members[0].name, "n");
  EXPECT_EQ(interface.workgroup.size, (std::array<std::uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(interface.workgroup.spec_ids[1], 7U);
}

TEST(Program, HashesAreStableAndTellProgramsApart) {
  const Program one = Program::from_glsl(kSaxpy).value();
  const Program same = Program::from_glsl(kSaxpy).value();
  std::string changed_code = kSaxpy;
  changed_code.replace(changed_code.find("kScale * x[i]"), 13, "kScale - x[i]");
  const Program other_code = Program::from_glsl(changed_code).value();
  std::string changed_slot = kSaxpy;
  changed_slot.replace(changed_slot.find("binding = 1"), 11, "binding = 4");
  const Program other_slot = Program::from_glsl(changed_slot).value();
  EXPECT_EQ(one.module_hash(), same.module_hash());
  EXPECT_EQ(one.interface_hash(), same.interface_hash());
  EXPECT_NE(one.module_hash(), other_code.module_hash());
  EXPECT_EQ(one.interface_hash(), other_code.interface_hash());
  EXPECT_NE(one.interface_hash(), other_slot.interface_hash());
  // Of the published XXH3 for no input: the hash is the same on every machine.
  EXPECT_EQ(to_string(Hasher{}.finish()), "99aa06d3014798d86001c324468d497f");
}

TEST(Program, SpecKeysHoldWhatDiffers) {
  const Program program = Program::from_glsl(kSaxpy, {.name = "saxpy"}).value();
  const SpecKey plain = program.spec_key().value();
  const SpecKey defaults = program.spec_key(std::vector<spirv::SpecOverride>{{2, 1}, {1, 0x4000'0000}}).value();
  EXPECT_EQ(plain, defaults) << "a value that is the default changes nothing";
  const SpecKey wide = program.spec_key(std::vector<spirv::SpecOverride>{{7, 4}, {2, 0}}).value();
  EXPECT_EQ(wide.workgroup, (std::array<std::uint32_t, 3>{64, 4, 1}));
  EXPECT_EQ(wide.values, (std::vector<spirv::SpecOverride>{{2, 0}, {7, 4}}));
  EXPECT_NE(hash_of(plain), hash_of(wide));

  const auto message = [&](std::vector<spirv::SpecOverride> values) {
    return program.spec_key(values).error().message;
  };
  EXPECT_EQ(message({{9, 1}}), "program 'saxpy' has no specialisation constant 9, it has 3");
  EXPECT_EQ(message({{2, 2}}), "specialisation constant 2 'kAdd' is given 0x2, a bool has 1 bits");
  EXPECT_EQ(message({{1, 1ULL << 32}}), "specialisation constant 1 'kScale' is given 0x100000000, a float has 32 bits");
  EXPECT_EQ(message({{1, 1}, {1, 1}}), "specialisation constant 1 is given twice");
}

TEST(Program, ComesFromFilesByTheirEnding) {
  const TemporaryFile glsl{"saxpy.comp", kSaxpy};
  const Program from_glsl = Program::from_file(glsl.path()).value();
  const auto* bytes = reinterpret_cast<const char*>(from_glsl.words().data());
  const TemporaryFile spirv{"saxpy.spv", {bytes, from_glsl.words().size_bytes()}};
  EXPECT_EQ(Program::from_file(spirv.path()).value().module_hash(), from_glsl.module_hash());
  EXPECT_THAT(from_glsl.name(), HasSubstr("saxpy.comp"));

  const TemporaryFile text{"saxpy.txt", kSaxpy};
  EXPECT_THAT(Program::from_file(text.path()).error().message,
              HasSubstr("ends in '.txt', a program ends in .spv, .comp or .glsl"));
  const TemporaryFile odd{"odd.spv", "12345"};
  EXPECT_THAT(Program::from_file(odd.path()).error().message, HasSubstr("has 5 bytes, it needs a multiple of 4"));
  const TemporaryFile empty{"empty.spv", ""};
  EXPECT_EQ(Program::from_file(empty.path()).error().code, ErrorCode::CompileFailed);
  EXPECT_THAT(Program::from_file("/no/such.spv").error().message, HasSubstr("cannot open '/no/such.spv'"));
  const TemporaryFile broken{"broken.comp", "#version 450\nvoid main() { undeclared = 1; }\n"};
  const Error error = Program::from_file(broken.path()).error();
  EXPECT_EQ(error.code, ErrorCode::CompileFailed);
  EXPECT_THAT(error.message, HasSubstr("broken.comp:2"));
}

TEST(Program, RefusesWhatItCannotRunByName) {
  const Error image = Program::from_glsl(R"(#version 450
    layout(local_size_x = 1) in;
    layout(binding = 3, rgba8) uniform image2D picture;
    void main() { imageStore(picture, ivec2(0), vec4(1)); })")
                          .error();
  EXPECT_EQ(image.code, ErrorCode::Unsupported);
  EXPECT_EQ(image.message, "OpTypeImage 'picture': images and samplers are not supported");
  const Error sampler = Program::from_glsl(R"(#version 450
    layout(local_size_x = 1) in;
    layout(binding = 3) uniform sampler2D pictures[4];
    layout(binding = 0) buffer Out { vec4 o; };
    void main() { o = textureLod(pictures[1], vec2(0), 0.0); })")
                            .error();
  EXPECT_THAT(sampler.message, HasSubstr("OpTypeSampledImage 'pictures'"));
  const Error address = Program::from_glsl(R"(#version 450
    #extension GL_EXT_buffer_reference : require
    layout(local_size_x = 1) in;
    layout(buffer_reference, std430) buffer Node { uint value; };
    layout(push_constant) uniform P { Node node; };
    void main() { node.value = 1; })")
                            .error();
  EXPECT_EQ(address.code, ErrorCode::Unsupported);
  EXPECT_THAT(address.message, HasSubstr("capability PhysicalStorageBufferAddresses"));
}

TEST(Program, ChoosesAmongEntryPoints) {
  const std::vector<std::uint32_t> words = tests::assemble(R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %f "first"
    OpEntryPoint GLCompute %g "second"
    OpExecutionMode %f LocalSize 1 2 3
    OpExecutionMode %g LocalSize 4 5 6
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %f = OpFunction %void None %fn
    %1 = OpLabel
    OpReturn
    OpFunctionEnd
    %g = OpFunction %void None %fn
    %2 = OpLabel
    OpReturn
    OpFunctionEnd)");
  EXPECT_EQ(Program::from_spirv(words).error().message,
            "the module has 2 compute entry points, one must be named: 'first', 'second'");
  EXPECT_EQ(Program::from_spirv(words, {.entry_point = "third"}).error().message,
            "the module has no compute entry point 'third', it has 'first', 'second'");
  const Program second = Program::from_spirv(words, {.entry_point = "second"}).value();
  EXPECT_EQ(second.interface().workgroup.size, (std::array<std::uint32_t, 3>{4, 5, 6}));
  EXPECT_NE(second.interface_hash(), Program::from_spirv(words, {.entry_point = "first"}).value().interface_hash());
}

TEST(Program, SpecialisesWhatDependsOnConstants) {
  const Program program = Program::from_glsl(R"(#version 450
    layout(local_size_x = 1) in;
    layout(constant_id = 1) const uint kCount = 4;
    layout(std430, binding = 0) buffer Data { uint data[kCount]; };
    void main() { for (uint i = 0; i < kCount; ++i) data[i] = i; })",
                                             {.optimise = false})
                              .value();
  EXPECT_EQ(program.interface().bindings[0].size, 16U);
  EXPECT_EQ(program.interface().loops[0].max_trips, 4U);
  const Interface larger = program.specialise(std::vector<spirv::SpecOverride>{{1, 1000}}).value();
  EXPECT_EQ(larger.bindings[0].size, 4000U);
  EXPECT_EQ(larger.loops[0].max_trips, 1000U);
}

TEST(Program, LaysOutStructuresWithinStructures) {
  std::string source = "#version 450\nlayout(local_size_x = 1) in;\nstruct S0 { uint a; uint b; uint c; uint d; };\n";
  for (int i = 1; i < 5; ++i) {
    const std::string inner = "S" + std::to_string(i - 1);
    source +=
        "struct S" + std::to_string(i) + " { " + inner + " a; " + inner + " b; " + inner + " c; " + inner + " d; };\n";
  }
  const Program program = Program::from_glsl(source + R"(
    layout(std430, binding = 0) buffer Fan { S4 fan; uint end; };
    layout(std430, binding = 1) buffer Other { uint x; uint y; };
    void main() { end = x; y = 1; })")
                              .value();
  EXPECT_EQ(program.interface().bindings[0].size, 4U * 1024 + 4);
  EXPECT_EQ(program.interface().bindings[1].size, 8U);
}

TEST(Program, CountsSharedBlocksByTheirLayout) {
  const Program program = Program::from_glsl(R"(#version 450
    #extension GL_EXT_shared_memory_block : require
    layout(local_size_x = 1) in;
    shared A { uint a; layout(offset = 4096) uint b; };
    shared B { uint c[4]; };
    layout(binding = 0) buffer Out { uint o; };
    void main() { a = 1; b = 2; c[1] = 3; barrier(); o = a + b + c[1]; })")
                              .value();
  EXPECT_EQ(program.interface().shared_bytes, 4100U) << "the blocks share their bytes";
}

TEST(Program, NeedsAComputeEntryPoint) {
  const std::vector<std::uint32_t> words = tests::assemble(R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Vertex %f "shade"
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %f = OpFunction %void None %fn
    %1 = OpLabel
    OpReturn
    OpFunctionEnd)");
  const Error error = Program::from_spirv(words).error();
  EXPECT_EQ(error.code, ErrorCode::Unsupported);
  EXPECT_EQ(error.message, "the module has no compute entry point, it has Vertex 'shade'");
}

TEST(Program, LearnsThatALayoutIsScalar) {
  const std::string source = R"(#version 450
    #extension GL_EXT_scalar_block_layout : require
    layout(local_size_x = 1) in;
    layout(scalar, binding = 0) buffer Data { float a; vec3 b[]; };
    void main() { b[0] = vec3(a); })";
  const Program program = Program::from_glsl(source).value();
  EXPECT_EQ(program.interface().block_layout, BlockLayout::Scalar);
  EXPECT_EQ(program.specialise({}).value().block_layout, BlockLayout::Scalar);
  EXPECT_EQ(Program::from_glsl(kSaxpy).value().interface().block_layout, BlockLayout::Standard);
  EXPECT_EQ(program.interface().bindings[0].stride, 12U);
}

}  // namespace
}  // namespace vyre::program
