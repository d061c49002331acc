#include <vyre/program/glsl/limits.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::program {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string_view source) {
  const Result<void> result = check_glsl_limits(source, "k.comp");
  return result ? "accepted" : to_string(result.error());
}

std::string times(std::size_t count, std::string_view text) {
  std::string result;
  result.reserve(count * text.size());
  for (std::size_t i = 0; i < count; ++i) result.append(text);
  return result;
}

/// A statement on the second line.
std::string kernel(std::string_view statement) {
  return fmt::format("#version 450\nvoid main() {{ {} }}\n", statement);
}

TEST(GlslLimits, AcceptsEveryKernelOfTheCorpus) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{VYRE_SOURCE_DIR "/tests/kernels"}) {
    if (entry.path().extension() != ".comp") continue;
    std::ifstream file{entry.path()};
    EXPECT_EQ(refusal(std::string{std::istreambuf_iterator<char>{file}, {}}), "accepted") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 50);
}

TEST(GlslLimits, AcceptsLargeOrdinaryKernels) {
  EXPECT_EQ(refusal(kernel("x = a" + times(499, " + a") + ";")), "accepted");
  EXPECT_EQ(refusal(kernel("const float t[4096] = float[](" + times(4'095, "-1.0 * 2.0, ") + "1.0);")), "accepted");
  EXPECT_EQ(refusal(kernel("const int t[4096] = {" + times(4'095, "{1, 2}, ") + "{1, 2}};")), "accepted");
  EXPECT_EQ(
      refusal(kernel("const float t[64][64] = {" + times(4'096, "1, ") + "1};" + times(5'000, "a += t[i][j + 1];"))),
      "accepted");
  EXPECT_EQ(refusal(kernel("if (a) b;" + times(250, " else if (a) { b; }"))), "accepted");
  EXPECT_EQ(refusal(kernel(times(10'000, "if (a) { b = c[i]; } else d; for (;;) e; do { f; } while (g);"))),
            "accepted");
  EXPECT_EQ(
      refusal("struct A { float x[4], y; }; struct B { A a[10]; A b, c; };" + times(1'000, "B f(B b) { return b; }")),
      "accepted");
}

TEST(GlslLimits, RefusesTextThatIsTooLargeOrNoText) {
  EXPECT_EQ(refusal(std::string(kMaxGlslBytes, ' ')), "accepted");
  EXPECT_EQ(refusal(std::string(kMaxGlslBytes + 1, ' ')),
            "error[invalid-argument]: k.comp: the text has 1048577 bytes, the limit is 1048576");
  EXPECT_EQ(refusal(std::string_view{"a\nb\0c", 5}),
            "error[invalid-argument]: k.comp:2: byte 3 of the text is zero, it needs to be text");
  EXPECT_EQ(refusal("\n" + std::string(257, 'x')),
            "error[invalid-argument]: k.comp:2: a token has 257 bytes, the limit is 256");
  EXPECT_EQ(refusal("\"" + std::string(1'024, 'x')),
            "error[invalid-argument]: k.comp:1: a token has 1025 bytes, the limit is 1024");
  EXPECT_EQ(refusal(times(500'001, "a ")),
            "error[invalid-argument]: k.comp: the text has 500001 tokens, the limit is 500000");
}

TEST(GlslLimits, RefusesDeepBrackets) {
  for (const auto& [open, close] : {std::pair{"(", ")"}, std::pair{"{", "}"}, std::pair{"f(", ")"}}) {
    EXPECT_EQ(refusal(kernel(times(255, open) + "a" + times(255, close))), "accepted") << open;
    EXPECT_EQ(refusal(kernel(times(256, open) + "a" + times(256, close))),
              "error[invalid-argument]: k.comp:2: brackets nest 257 deep, the limit is 256")
        << open;
  }
  EXPECT_EQ(refusal(times(1'000'000, "(")),
            "error[invalid-argument]: k.comp: the text has 1000000 tokens, the limit is 500000");
  EXPECT_THAT(refusal(times(400'000, "[")), HasSubstr("brackets nest 257 deep, the limit is 256"));
  EXPECT_EQ(refusal(times(400'000, ")")), "accepted");
}

TEST(GlslLimits, RefusesLongExpressions) {
  const std::string message =
      "error[invalid-argument]: k.comp:2: an expression is 4097 operators deep, the limit is 4096";
  EXPECT_EQ(refusal(kernel("x = a" + times(4'095, " + a") + ";")), "accepted");
  for (const std::string& expression : {
           "x = a" + times(60'000, " + a"),
           "x = a" + times(60'000, " - 1.0e-5"),
           "x = 0xe" + times(60'000, "+0xe"),
           "x = a" + times(60'000, " && b < c"),
           "x = " + times(60'000, "-") + "a",
           "x = " + times(60'000, "- ") + "a",
           "x = " + times(60'000, "!") + "a",
           "x = " + times(60'000, "a ? b : ") + "c",
           "x = " + times(60'000, "a ? ") + "b" + times(60'000, " : c"),
           times(60'000, "a = ") + "b",
           times(60'000, "a += ") + "b",
           "a" + times(60'000, ".xyzw"),
           "a" + times(60'000, "++"),
           "a" + times(60'000, ".length()"),
           "x = (a" + times(60'000, ", a") + ")",
           "return (a" + times(60'000, ", a") + ")",
           "x = a[a" + times(60'000, ", a") + "]",
       }) {
    EXPECT_EQ(refusal(kernel(expression + ";")), message) << expression.substr(0, 40);
  }
  // Spread over brackets: what is above a term adds up.
  std::string spread = "a";
  for (int i = 0; i < 10; ++i) spread = fmt::format("({}){}", spread, times(500, "*b"));
  EXPECT_THAT(refusal(kernel("x = " + spread + ";")), HasSubstr("operators deep, the limit is 4096"));
}

TEST(GlslLimits, RefusesDeepStatements) {
  const std::string message = "error[invalid-argument]: k.comp:2: statements nest 257 deep, the limit is 256";
  EXPECT_EQ(refusal(kernel(times(256, "if (a) ") + "b;")), "accepted");
  for (const std::string& statement : {
           times(10'000, "if (a) ") + "b;",
           times(10'000, "for (;;) ") + "b;",
           times(10'000, "while (a) ") + "b;",
           times(10'000, "do ") + "b;" + times(10'000, " while (a);"),
           times(10'000, "switch (a) ") + "b;",
           "if (a) b;" + times(10'000, " else if (a) b;"),
           "if (a) { b; }" + times(10'000, " else if (a) { b; }"),
           times(10'000, "if (a) b; else "),
           times(10'000, "if (a) { b; } else "),
       }) {
    EXPECT_EQ(refusal(kernel(statement)), message) << statement.substr(0, 40);
  }
  EXPECT_THAT(refusal(kernel(times(250, "for (;;) { if (a) "))), HasSubstr("statements nest 257 deep"));
}

TEST(GlslLimits, RefusesManySubscripts) {
  EXPECT_EQ(refusal(kernel("float a" + times(16, "[2]") + ";")), "accepted");
  EXPECT_EQ(refusal(kernel("float a" + times(17, "[2]") + ";")),
            "error[invalid-argument]: k.comp:2: 17 subscripts follow each other, the limit is 16");
  EXPECT_THAT(refusal(kernel("x = a" + times(5'000, "[b[0]]") + ";")), HasSubstr("17 subscripts"));
}

TEST(GlslLimits, RefusesLongLists) {
  EXPECT_EQ(refusal(kernel("f(a" + times(32'767, ", a") + ");")), "accepted");
  EXPECT_EQ(refusal(kernel("f(a" + times(32'768, ", a") + ");")),
            "error[invalid-argument]: k.comp:2: a list has 32769 elements, the limit is 32768");
  EXPECT_THAT(refusal(kernel("int a = 1" + times(40'000, ", a = 1") + ";")), HasSubstr("a list has 32769 elements"));
  EXPECT_THAT(refusal(kernel("int a[] = {1" + times(40'000, ", 1") + "};")), HasSubstr("a list has 32769 elements"));
}

TEST(GlslLimits, RefusesManyFunctionsAndCases) {
  EXPECT_EQ(refusal(times(1'024, "int f() { return 1; }\n")), "accepted");
  EXPECT_EQ(refusal(times(1'025, "int f() { return 1; }\n")),
            "error[invalid-argument]: k.comp:1025: the text has 1025 functions, the limit is 1024");
  EXPECT_THAT(refusal(times(1'025, "int f(int a);\n")), HasSubstr("the text has 1025 functions"));
  EXPECT_EQ(refusal(kernel("switch (a) {" + times(8'193, "case 1: b; break;") + "}")),
            "error[invalid-argument]: k.comp:2: switches have 8193 cases, the limit is 8192");
}

TEST(GlslLimits, RefusesStructuresThatUnfold) {
  std::string text = "struct S0 { float a; };\n";
  for (int i = 1; i < 40; ++i) text.append(fmt::format("struct S{} {{ S{} a, b; }};\n", i, i - 1));
  EXPECT_EQ(refusal(text),
            "error[invalid-argument]: k.comp:14: structure 'S13' has 8192 members, those of its members "
            "included, the limit is 4096");
  EXPECT_THAT(refusal("buffer B {" + times(5'000, "float a;") + "};"), HasSubstr("structure 'B' has 5000 members"));
}

TEST(GlslLimits, RefusesConstantsThatUnfold) {
  std::string text = "const float c0[2] = {1, 2};\n";
  for (int i = 1; i < 15; ++i) {
    text.append(fmt::format("const float c{}{} = {{c{}, c{}}};\n", i, times(static_cast<std::size_t>(i) + 1, "[2]"),
                            i - 1, i - 1));
  }
  EXPECT_EQ(refusal(text), "accepted");
  const std::string table = "const float t[4096] = {1" + times(4'095, ", 1") + "};\n";
  EXPECT_EQ(refusal(table + "const float u[64][4096] = {t" + times(63, ", t") + "};"),
            "error[invalid-argument]: k.comp:2: constant 'u' has 262144 elements, the limit is 65536");
  EXPECT_EQ(refusal(table + kernel(times(1'025, "f(t);"))),
            "error[invalid-argument]: k.comp:3: constants are copied 4198400 elements at a time, the limit is 4194304 "
            "in all");
  EXPECT_EQ(refusal(table + kernel(times(20'000, "f(t[i]);"))), "accepted");
  EXPECT_EQ(refusal("const float a[1000000000] = {};"),
            "error[invalid-argument]: k.comp:1: an initialiser has 0 elements, it needs at least 1");
  EXPECT_THAT(refusal(kernel("A a = {{}, {1}};")), HasSubstr("an initialiser has 0 elements"));
  EXPECT_EQ(refusal("shared uint a[4] = {}, b = {};"), "accepted");
  for (const std::string_view refused : {"shared uint a[2][2] = {{}, {}};", "shared const uint a[2] = {};",
                                         "const shared uint a[2] = {};", "shared uint a[2]; uint b = {};"}) {
    EXPECT_THAT(refusal(refused), HasSubstr("an initialiser has 0 elements")) << refused;
  }
  EXPECT_EQ(refusal(kernel("{} if (a) {} else {} for (;;) {}")), "accepted");
  // However the type is written.
  for (const std::string_view type : {"const S", "S const", "const float[64][4096]", "float[64][4096] const"}) {
    EXPECT_THAT(refusal(table + fmt::format("{} u = S(t{});", type, times(63, ", t"))),
                HasSubstr("constant 'u' has 262144 elements"))
        << type;
  }
  // Scalars made of scalars do not grow.
  for (const std::string_view type :
       {"const int", "uint const", "const highp ivec2", "const int64_t", "const mat4x3"}) {
    text = fmt::format("{} n0 = 1;\n", type);
    for (int i = 1; i < 60; ++i) text.append(fmt::format("{} n{} = n{} + n{};\n", type, i, i - 1, i - 1));
    EXPECT_EQ(refusal(text), "accepted") << type;
  }
}

TEST(GlslLimits, RefusesExplodingMacros) {
  std::string text = "#define A0 1\n";
  for (int i = 1; i < 40; ++i) text.append(fmt::format("#define A{} A{} + A{}\n", i, i - 1, i - 1));
  EXPECT_THAT(refusal(text + "int a = A39;"),
              StartsWith("error[invalid-argument]: k.comp:41: the text may expand to "));
}

TEST(GlslLimits, SeesThroughWhatHides) {
  // What the preprocessor leaves of a string with a line end in it.
  const GlslText text = GlslText::preprocessed("f(\"a\n#\"); x = " + times(300, "(") + "// (" + times(300, ")"));
  EXPECT_THAT(check_glsl_shape(text, "k.comp").error().message, HasSubstr("k.comp:2: brackets nest 257 deep"));
  // Comments, continued lines and directives in a source.
  EXPECT_EQ(refusal("/* " + times(300, "(") + " */ // " + times(300, "(") + "\n#pragma " + times(300, "(") + "\n"),
            "accepted");
  EXPECT_THAT(refusal("// \\\n" + times(300, "(") + "\n" + times(300, "(")), HasSubstr("k.comp:3: brackets nest 257"));
}

}  // namespace
}  // namespace vyre::program
