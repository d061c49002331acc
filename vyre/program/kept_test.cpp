#include <vyre/program/kept.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <vyre/program/program.hpp>

namespace vyre::program {
namespace {

Kept kept_of(std::string_view glsl) { return Program::from_glsl(glsl, {.optimise = false}).value().interface().kept; }

TEST(Kept, CountsPrivateVariablesOnceAndThoseOfFunctionsOnceForEachCall) {
  const Kept kept = kept_of(R"(#version 460
layout(binding = 0) buffer B { uint words[]; };
uint state[100];
uint inner(uint i) { uint large[64]; large[i % 64] = i; return large[words[i] % 64]; }
uint outer(uint i) { return inner(i) + inner(i + 1); }
void main() { state[words[0] % 100] = outer(1) + inner(2); words[0] = state[words[1] % 100]; }
)");
  // Three calls of `inner`, each with an array of 256 bytes; parameters and arguments are variables, too.
  EXPECT_GE(kept.variable_bytes, 400U + 3 * 256U);
  EXPECT_LT(kept.variable_bytes, 400U + 4 * 256U);
  EXPECT_EQ(kept.largest_variable, "'state'");
  EXPECT_EQ(kept.largest_variable_bytes, 400U);
}

TEST(Kept, NamesTheLargestValueAndWhereItCameFrom) {
  const Kept kept = kept_of(R"(#version 460
struct Large { uint values[50]; };
layout(binding = 0) buffer From { Large from; };
layout(binding = 1) buffer To { Large to; };
void main() { to = from; }
)");
  EXPECT_EQ(kept.value_bytes, 200U);
  EXPECT_EQ(kept.largest_value, "loaded from 'From'");
}

TEST(Kept, NamesTheLargestSharedVariable) {
  const Kept kept = kept_of(R"(#version 460
layout(local_size_x = 4) in;
layout(binding = 0) buffer B { uint words[]; };
shared uint few[4];
shared uint many[40];
void main() { few[words[0] % 4] = 1; many[words[1] % 40] = 2; barrier(); words[0] = few[0] + many[0]; }
)");
  EXPECT_EQ(kept.largest_shared, "'many'");
  EXPECT_EQ(kept.largest_shared_bytes, 160U);
  EXPECT_EQ(kept.variable_bytes, 0U);
}

TEST(Kept, IsThatOfTheSpecialisation) {
  const Program program = Program::from_glsl(R"(#version 460
layout(constant_id = 3) const uint kElements = 10;
layout(binding = 0) buffer B { uint words[]; };
uint state[kElements];
void main() { state[words[0] % kElements] = 1; words[0] = state[words[1] % kElements]; }
)",
                                             {.optimise = false})
                              .value();
  EXPECT_EQ(program.interface().kept.largest_variable_bytes, 40U);
  const spirv::SpecOverride larger{.spec_id = 3, .bits = 1'000};
  EXPECT_EQ(program.specialise(std::span{&larger, 1}).value().kept.largest_variable_bytes, 4'000U);
}

}  // namespace
}  // namespace vyre::program
