#include <vyre/runtime/compiled_program.hpp>

#include <array>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using program::FormKind;
using program::Program;
using testing::HasSubstr;
using tests::add_program;
using tests::scale_program;
using tests::StageRig;

/// A device for kernels whose results do not matter.
backends::fake::FakeOptions with_idle_kernel() {
  return {.kernels = {{"kernel", [](const backends::fake::Invocation&) {}}}};
}

CompiledProgram compile(StageRig& rig, const Program& program, FormKind form = FormKind::Descriptor) {
  return compile_program(rig.device, program, {}, form).value();
}

Program glsl(std::string_view declarations, std::string_view body) {
  std::string text = "#version 450\nlayout(local_size_x = 4) in;\n";
  text += std::string{declarations} + "void main() { " + std::string{body} + " }";
  return Program::from_glsl(text, {.name = "kernel"}).value();
}

TEST(CompileProgram, WorksOutWhatADispatchMustGive) {
  StageRig rig;
  const CompiledProgram add = compile(rig, add_program());
  ASSERT_EQ(add.bindings.slots.size(), 2);
  EXPECT_EQ(add.bindings.slots[0].rule.name, "from");
  EXPECT_EQ(add.bindings.slots[1].rule.slot, 1);
  EXPECT_EQ(add.bindings.writes, (std::vector<bool>{false, true}));
  EXPECT_TRUE(add.bindings.slots[0].allows(16, 4));
  EXPECT_FALSE(add.bindings.slots[0].allows(8, 4)) << "the fake device aligns storage buffers to 16 bytes";
  EXPECT_EQ(add.push_bytes, 4);
  ASSERT_EQ(add.params.size(), 1);
  EXPECT_EQ(add.params[0].name, "bias");
  EXPECT_EQ(add.form, FormKind::Descriptor);
  EXPECT_EQ(add.pipeline, add.written_pipeline);
}

TEST(CompileProgram, KeepsWrittenBuffersApartUnlessTheyAreAliased) {
  StageRig rig{with_idle_kernel()};
  EXPECT_THAT(compile(rig, add_program()).bindings.apart, testing::ElementsAre(testing::Pair(0, 1)));
  constexpr std::string_view kBuffers =
      "layout(set = 0, binding = 0) readonly buffer A { uint a[]; };"
      "layout(set = 0, binding = 1) readonly buffer B { uint b[]; };"
      "layout(set = 0, binding = 2) writeonly buffer C { uint c[]; };";
  const CompiledProgram reader = compile(rig, glsl(kBuffers, "c[0] = a[0] + b[0];"));
  EXPECT_THAT(reader.bindings.apart, testing::ElementsAre(testing::Pair(0, 2), testing::Pair(1, 2)));
}

TEST(CompileProgram, GathersInAnotherFormWhereTheProgramHasIt) {
  StageRig rig;
  const CompiledProgram merged = compile(rig, add_program(), FormKind::Merged);
  EXPECT_EQ(merged.form, FormKind::Merged);
  EXPECT_EQ(merged.pipeline_in(FormKind::Merged), merged.pipeline);
  EXPECT_EQ(merged.written_pipeline.generation, 0) << "nothing needs the kernel as written yet";
  // A workgroup of a chain may be too short for a long dispatch, which then runs as written.
  EXPECT_NE(compile(rig, add_program(), FormKind::Chain).written_pipeline.generation, 0);

  StageRig without{{.has_forms = false}};
  const CompiledProgram plain = compile(without, add_program(), FormKind::Merged);
  EXPECT_EQ(plain.form, FormKind::Descriptor);
  EXPECT_THAT(plain.form_refused, HasSubstr("merged"));
}

TEST(FindForm, CompilesAFormOnceAndRemembersARefusal) {
  StageRig rig;
  CompiledProgram add = compile(rig, add_program());
  const auto merged = find_form(add, FormKind::Merged, backend::kForever);
  ASSERT_TRUE(merged);
  EXPECT_EQ(find_form(add, FormKind::Merged, backend::kForever), merged);
  EXPECT_EQ(pipelines_of(add).size(), 3);  // As gathered, as written (the same one here), and merged.

  StageRig without{{.has_forms = false}};
  CompiledProgram plain = compile(without, add_program());
  const auto refused = find_form(plain, FormKind::Chain, backend::kForever);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
  EXPECT_TRUE(plain.refused[static_cast<std::size_t>(FormKind::Chain)]);
}

TEST(CompileProgram, OneIdNamesAProgramAndItsSpecialisation) {
  StageRig rig;
  const std::array<program::spirv::SpecOverride, 1> three = {{{.spec_id = 7, .bits = 3}}};
  const std::uint64_t plain = compile(rig, scale_program()).id;
  EXPECT_EQ(compile(rig, scale_program()).id, plain);
  EXPECT_NE(compile_program(rig.device, scale_program(), three, FormKind::Descriptor).value().id, plain);
}

TEST(WrongBufferCount, NamesTheBuffersOfTheProgram) {
  StageRig rig;
  EXPECT_EQ(wrong_buffer_count(compile(rig, add_program()), 3).error().message,
            "program 'add' uses 2 buffers: binding 0 'from', binding 1 'to', 3 are given");
}

class LayOut : public testing::Test {
 protected:
  std::string refusal(const Params& given) {
    const Result<void> laid = lay_out(program_, given, room_.data());
    return laid ? "" : laid.error().message;
  }
  template <typename T>
  [[nodiscard]] T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, room_.data() + offset, sizeof(T));
    return value;
  }

  StageRig rig_{with_idle_kernel()};
  CompiledProgram program_ =
      compile(rig_, glsl("layout(push_constant) uniform P { float scale; uvec2 size; float w[2]; };"
                         "layout(set = 0, binding = 0) buffer D { float d[]; };",
                         "d[0] = scale * float(size.y) * w[1];"));
  std::array<std::byte, Params::kMaxBytes> room_ = {};
};

TEST_F(LayOut, PutsBytesOfABlockAsTheyAre) {
  std::array<float, 6> block = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(refusal(params_block(block)), "");
  EXPECT_EQ(at<float>(16), 5);
  EXPECT_EQ(refusal(params_block(1.0F)), "program 'kernel' has 24 bytes of push constants, 4 are given");
}

TEST_F(LayOut, RefusesValuesByTheNameOfTheMember) {
  EXPECT_EQ(refusal(params(1.0F)), "program 'kernel' has 3 parameters, 1 are given");
  EXPECT_EQ(refusal(params(1.0F, 2.0F, 3.0F)), "parameter 'size' is a uvec2, it is given a float");
  EXPECT_EQ(refusal(params(param("scale", 1.0F), param("scale", 1.0F), param("w", 1.0F))),
            "parameter 'scale' is given twice");
  EXPECT_EQ(refusal(params(param("scale", 1.0F), param("depth", 1.0F), param("w", 1.0F))),
            "program 'kernel' has no parameter 'depth'");
  EXPECT_THAT(refusal(params(1.0F, std::array<std::uint32_t, 2>{1, 2}, 3.0F)),
              HasSubstr("it can be given only with the bytes of the whole block"));
}

TEST_F(LayOut, RefusesMoreThanFits) {
  Params many;
  for (int i = 0; i < 40; ++i) many.add(1.0F);
  EXPECT_THAT(refusal(many), HasSubstr("40 of together 160 bytes are given, the limits are 32 values and 256 bytes"));
}

TEST(LayOutParams, FindsMembersInOrderOrByName) {
  StageRig rig{with_idle_kernel()};
  const CompiledProgram program = compile(rig, glsl("layout(push_constant) uniform P { float scale; uint count; };"
                                                    "layout(set = 0, binding = 0) buffer D { float d[]; };",
                                                    "d[0] = scale * float(count);"));
  std::array<std::byte, Params::kMaxBytes> in_order = {};
  std::array<std::byte, Params::kMaxBytes> by_name = {};
  ASSERT_TRUE(lay_out(program, params(2.0F, 7U), in_order.data()));
  ASSERT_TRUE(lay_out(program, params(param("count", 7U), param("scale", 2.0F)), by_name.data()));
  EXPECT_EQ(in_order, by_name);
  std::uint32_t count = 0;
  std::memcpy(&count, in_order.data() + 4, sizeof(count));
  EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace vyre::runtime
