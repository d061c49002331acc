#include <vyre/program/glsl/macros.hpp>

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::program {
namespace {

using testing::HasSubstr;

Result<std::uint64_t> weigh(std::string_view source) {
  const GlslText text = GlslText::source(source);
  GlslMacroBound bound;
  VYRE_TRY(bound.collect(text, "k.comp"));
  return bound.weigh(text, "k.comp");
}

std::string refusal(std::string_view source) {
  const Result<std::uint64_t> result = weigh(source);
  return result ? fmt::format("{} tokens", *result) : to_string(result.error());
}

/// `count` macros, each of which is twice the one before it.
std::string doubling(std::string_view first, std::string_view form, int count) {
  std::string text{first};
  for (int i = 1; i < count; ++i) text.append(fmt::format(fmt::runtime(form), i, i - 1));
  return text;
}

TEST(GlslMacros, CountsPlainTextAsItIs) {
  EXPECT_EQ(refusal("a + b;\nc"), "5 tokens");
  EXPECT_EQ(refusal(""), "0 tokens");
  EXPECT_EQ(refusal("abcdefghijklmnopqrstuvwxyz"), "2 tokens");
}

TEST(GlslMacros, AcceptsOrdinaryMacros) {
  for (const std::string_view source : {
           "#define N 64\nint a[N];",
           "#define REAL float\nREAL x = REAL(1) * REAL(2);",
           "#define MIN(a, b) ((a) < (b) ? (a) : (b))\nx = MIN(MIN(MIN(1, 2), MIN(3, 4)), MIN(MIN(5, 6), MIN(7, 8)));",
           "#define FOR(i, n) for (int i = 0; i < n; ++i)\nFOR(i, 4) FOR(j, 5) a[i][j] = 0;",
           "#define LIST(X) X(a) X(b) X(c)\n#define DECLARE(n) float n;\nLIST(DECLARE)",
           "#define foo foo\n#define bar (bar + 1)\nfoo bar",
           "#define CAT(a, b) a##b\n#define NAME(x) CAT(prefix_, x)\nint NAME(one), NAME(two);",
           "#define load load_float\n#define load_float(i) data[i]\nx = load(3);",
           "#define f F\n#define g G\n#define h H\n#define F(x) g(x)\n#define G(x) h(x)\n#define H(x) x\nf(1) g(2)",
           "#define EMPTY\n#define Q(x) EMPTY x EMPTY\nQ(int) EMPTY a;",
           "#ifdef A\n#define B 1\n#else\n#define B 2\n#endif\n#if B + 1 == 2 && defined(A)\n#endif\nB",
           "#define F(a, b) a b\nF((1, 2), 3) F() F",
       }) {
    EXPECT_THAT(refusal(source), HasSubstr(" tokens")) << source;
  }
}

TEST(GlslMacros, BoundsTheRealExpansion) {
  // 1024 ones, and 1023 signs between them.
  const Result<std::uint64_t> size = weigh(doubling("#define A0 1\n", "#define A{0} A{1} + A{1}\n", 11) + "A10");
  ASSERT_TRUE(size);
  EXPECT_GE(*size, 2'047U);
  EXPECT_LE(*size, 20'000U);
}

TEST(GlslMacros, RefusesExponentialExpansion) {
  EXPECT_EQ(
      refusal(doubling("#define A0 1\n", "#define A{0} A{1} A{1}\n", 40) + "A39"),
      "error[invalid-argument]: k.comp:41: the text may expand to 2748779069637 tokens here, the limit is 1000000");
  EXPECT_EQ(refusal(doubling("#define A0 1\n", "#define A{0} A{1} A{1}\n", 64) + "A63").substr(0, 59),
            "error[invalid-argument]: k.comp:65: the text may expand to ");
  // To nothing at all, in as much time.
  EXPECT_THAT(refusal(doubling("#define A0\n", "#define A{0} A{1} A{1}\n", 40) + "A39"), HasSubstr("may expand to"));
  EXPECT_THAT(refusal(doubling("#define A0(x) x\n", "#define A{0}(x) A{1}(x) A{1}(x)\n", 40) + "A39(1)"),
              HasSubstr("may expand to"));
  EXPECT_THAT(refusal(doubling("#define A0(x) x x\n", "#define A{0}(x) A{1}(A{1}(x))\n", 40) + "A39(1)"),
              HasSubstr("may expand to"));
  std::string nested = "1";
  for (int i = 0; i < 40; ++i) nested = fmt::format("D({})", nested);
  EXPECT_THAT(refusal("#define D(x) x x\n" + nested), HasSubstr("k.comp:2: the text may expand to"));
  // The argument is expanded although it is not used.
  nested = "A";
  EXPECT_THAT(refusal(doubling("#define A0 1\n", "#define A{0} A{1} A{1}\n", 40) + "#define NO(x) 1\nNO(A39)"),
              HasSubstr("may expand to"));
}

TEST(GlslMacros, RefusesExpansionThroughNames) {
  // Handed over by name.
  EXPECT_THAT(
      refusal("#define D(x) x x\n#define T(f) f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(1)))))))))))))))))))))\nT(D)"),
      HasSubstr("may expand to"));
  // Under another name.
  EXPECT_THAT(
      refusal(doubling("#define A0(x) x x\n", "#define B{0} A{1}\n#define A{0}(x) B{0}(B{0}(x))\n", 30) + "A29(1)"),
      HasSubstr("may expand to"));
  // Put together of pieces.
  EXPECT_THAT(refusal(doubling("#define A0 1\n", "#define A{0} A##{1} A##{1}\n", 40) + "A39"),
              HasSubstr("may expand to"));
  EXPECT_THAT(
      refusal(doubling("#define A0 1\n#define CAT(a, b) a##b\n", "#define A{0} CAT(A, {1}) CAT(A, {1})\n", 40) + "A39"),
      HasSubstr("leads back to itself"));
}

TEST(GlslMacros, RefusesWhatHasNoBound) {
  EXPECT_EQ(
      refusal("#define A B B\n#define B A A\nA"),
      "error[invalid-argument]: k.comp:2: macro 'A' leads back to itself through 'B', its expansion has no bound");
  EXPECT_EQ(refusal("#define F(x) x\n#define OPEN F(\nOPEN 1)"),
            "error[invalid-argument]: k.comp:2: macro 'OPEN' opens a call and does not close it");
  EXPECT_EQ(refusal("#define NO\n#define A() 1\n#define R(x) x x A NO () (x x)\nR(1)"),
            "error[invalid-argument]: k.comp:3: macro 'R' puts off the call of 'A', its expansion has no bound");
  EXPECT_EQ(refusal("#define P(\n#define F(x) x x\n#define LATER(f, e) f e (1)\nLATER(F, )"),
            "error[invalid-argument]: k.comp:4: the call of macro 'F' is put off, its expansion has no bound");
}

TEST(GlslMacros, RefusesDeepAndWideMacros) {
  EXPECT_EQ(refusal(doubling("#define A0 1\n", "#define A{0} A{1}\n", 100) + "A99"),
            "error[invalid-argument]: k.comp:37: macro 'A36' is 65 macros deep, the limit is 64");
  std::string nested = "1";
  for (int i = 0; i < 65; ++i) nested = fmt::format("D({})", nested);
  EXPECT_EQ(refusal("#define D(x) x\n" + nested),
            "error[invalid-argument]: k.comp:2: calls of macros nest 65 deep, the limit is 64");
  std::string wide = "#define W(a0";
  for (int i = 1; i <= 256; ++i) wide.append(fmt::format(", a{}", i));
  EXPECT_EQ(refusal(wide + ") 1\n"),
            "error[invalid-argument]: k.comp:1: macro 'W' has 257 parameters, the limit is 256");
}

TEST(GlslMacros, RefusesLongConditions) {
  std::string text = "\n#if 1";
  for (int i = 0; i < 9'000; ++i) text.append(" + 1");
  EXPECT_EQ(refusal(text), "error[invalid-argument]: k.comp:2: #if may expand to 18001 tokens, the limit is 16384");
  EXPECT_THAT(refusal(doubling("#define A0 !\n", "#define A{0} A{1} A{1}\n", 18) + "#if A17 1\n"),
              HasSubstr("k.comp:19: #if may expand to"));
}

TEST(GlslMacros, CountsDefinitionsOfOtherTexts) {
  const GlslText first = GlslText::source(doubling("#define A0 N\n", "#define A{0} A{1} A{1}\n", 20));
  const GlslText second = GlslText::source("A19");
  GlslMacroBound bound;
  bound.define("N", "1 + 2");
  ASSERT_TRUE(bound.collect(first, "a.glsl"));
  ASSERT_TRUE(bound.collect(second, "k.comp"));
  EXPECT_TRUE(bound.weigh(first, "a.glsl"));
  const Result<std::uint64_t> size = bound.weigh(second, "k.comp");
  ASSERT_FALSE(size);
  EXPECT_THAT(size.error().message, HasSubstr("k.comp:1: the text may expand to"));
}

}  // namespace
}  // namespace vyre::program
