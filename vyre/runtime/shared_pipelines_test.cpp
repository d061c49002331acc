#include <vyre/runtime/shared_pipelines.hpp>

#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using program::FormKind;
using tests::add_program;
using tests::scale_program;

constexpr std::array<program::spirv::SpecOverride, 1> kTriple = {{{.spec_id = 7, .bits = 3}}};

class SharedPipelinesTest : public testing::Test {
 protected:
  std::shared_ptr<SharedPipelines> of(const program::Program& program,
                                      std::span<const program::spirv::SpecOverride> values = {}) {
    return SharedPipelines::of(device_, program, values);
  }

  backend::Device device_{backends::fake::open_fake(tests::with_kernels()), {}};
};

TEST_F(SharedPipelinesTest, AProgramIsCompiledOnceForAllSessions) {
  const auto first = of(scale_program());
  const auto second = of(scale_program());
  EXPECT_EQ(first, second);
  EXPECT_FALSE(first->has(FormKind::Descriptor));
  const auto pipeline = first->get(FormKind::Descriptor);
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(second->get(FormKind::Descriptor), pipeline);
  EXPECT_TRUE(second->has(FormKind::Descriptor));
  EXPECT_EQ(device_.usage().pipelines, 1);
}

TEST_F(SharedPipelinesTest, EverySpecialisationAndFormIsAPipelineOfItsOwn) {
  const auto plain = of(scale_program());
  const auto tripled = of(scale_program(), kTriple);
  EXPECT_NE(plain, tripled);
  EXPECT_NE(plain, of(add_program()));
  ASSERT_TRUE(plain->get(FormKind::Descriptor));
  ASSERT_TRUE(plain->get_warm(FormKind::Merged, backend::kForever));
  ASSERT_TRUE(tripled->get(FormKind::Descriptor));
  EXPECT_EQ(device_.usage().pipelines, 3);
}

TEST_F(SharedPipelinesTest, PipelinesGoWithTheLastSessionThatHasThem) {
  auto first = of(scale_program());
  auto second = of(scale_program());
  ASSERT_TRUE(first->get(FormKind::Descriptor));
  first.reset();
  EXPECT_EQ(device_.usage().pipelines, 1);
  second.reset();
  EXPECT_EQ(device_.usage().pipelines, 0);
  EXPECT_FALSE(of(scale_program())->has(FormKind::Descriptor)) << "the next session compiles again";
}

TEST(SharedPipelines, GiveTheDevicesErrorForAFormItDoesNotRun) {
  backend::Device device{backends::fake::open_fake(tests::with_kernels({.has_forms = false})), {}};
  const auto pipelines = SharedPipelines::of(device, scale_program(), {});
  const auto refused = pipelines->get(FormKind::Merged);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
  EXPECT_FALSE(pipelines->has(FormKind::Merged));
}

}  // namespace
}  // namespace vyre::runtime
