#include <vyre/program/glsl/tokens.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::program {
namespace {

using testing::ElementsAre;

/// The tokens as text, line ends as "⏎".
std::vector<std::string> texts(const GlslText& text) {
  std::vector<std::string> result;
  for (const GlslToken& token : text.tokens()) {
    result.emplace_back(token.kind == GlslTokenKind::NewLine ? "⏎" : token.text);
  }
  return result;
}

std::vector<std::uint32_t> lines(const GlslText& text) {
  std::vector<std::uint32_t> result;
  for (const GlslToken& token : text.tokens()) result.push_back(token.line);
  return result;
}

TEST(GlslTokens, CutsNamesNumbersAndOperators) {
  EXPECT_THAT(texts(GlslText::source("a1_b+=c.xyz<<=2")), ElementsAre("a1_b", "+=", "c", ".", "xyz", "<<=", "2"));
  EXPECT_THAT(texts(GlslText::source("1.5e-3f .5 0x1Fu 7UL 1.f")), ElementsAre("1.5e-3f", ".5", "0x1Fu", "7UL", "1.f"));
  EXPECT_THAT(texts(GlslText::source("a##b ## c::d")), ElementsAre("a", "##", "b", "##", "c", "::", "d"));
  EXPECT_THAT(texts(GlslText::source("é@")), ElementsAre("\xc3", "\xa9", "@"));
  EXPECT_THAT(texts(GlslText::source("")), ElementsAre());
}

TEST(GlslTokens, DoesNotHideAnOperatorInANumber) {
  EXPECT_THAT(texts(GlslText::source("0xe+0xe")), ElementsAre("0xe", "+", "0xe"));
  EXPECT_THAT(texts(GlslText::source("1e+1e+1")), ElementsAre("1e+1e", "+", "1"));
  EXPECT_THAT(texts(GlslText::source("1e+x")), ElementsAre("1e", "+", "x"));
}

TEST(GlslTokens, SkipsCommentsAndJoinsLines) {
  const GlslText text = GlslText::source("a // b\nc /* d\ne */ f\\\ng \\\r\nh\r\ni");
  EXPECT_THAT(texts(text), ElementsAre("a", "⏎", "c", "fg", "h", "⏎", "i"));
  EXPECT_THAT(lines(text), ElementsAre(1, 1, 2, 3, 5, 5, 6));
  EXPECT_THAT(texts(GlslText::source("a // b \\\n c\nd")), ElementsAre("a", "⏎", "d"));
  EXPECT_THAT(texts(GlslText::source("a /* b")), ElementsAre("a"));
  EXPECT_THAT(texts(GlslText::source("a/b*c")), ElementsAre("a", "/", "b", "*", "c"));
}

TEST(GlslTokens, KeepsStringsWhole) {
  EXPECT_THAT(texts(GlslText::source(R"(f("a // \" /*", b))")),
              ElementsAre("f", "(", R"("a // \" /*")", ",", "b", ")"));
  EXPECT_THAT(texts(GlslText::source("\"open\nb")), ElementsAre("\"open", "⏎", "b"));
  EXPECT_THAT(texts(GlslText::source("\"open\\")), ElementsAre("\"open\\"));
}

TEST(GlslTokens, KeepsTheNamesOfIncludes) {
  EXPECT_THAT(texts(GlslText::source("#include <a/b.glsl>\n# include \"c\"\n#include d\n#include \"e\n")),
              ElementsAre("#", "include", "<a/b.glsl>", "⏎", "#", "include", "\"c\"", "⏎", "#", "include", "d", "⏎",
                          "#", "include", "\"e", "⏎"));
}

TEST(GlslTokens, HidesNothingInPreprocessedText) {
  EXPECT_THAT(texts(GlslText::preprocessed("a \"b // c\" \\\n d")),
              ElementsAre("a", "\"", "b", "/", "/", "c", "\"", "\\", "⏎", "d"));
}

TEST(GlslTokens, FollowsLineDirectivesInPreprocessedText) {
  const GlslText text = GlslText::preprocessed("a\n#line 7 \"lib/x.glsl\"\nb\nc\n#line 3 \"k.comp\"\nd");
  std::vector<std::string> places;
  for (const GlslToken& token : text.tokens()) {
    if (token.kind != GlslTokenKind::Identifier || token.text.size() != 1 || token.text == "x" || token.text == "k") {
      continue;
    }
    places.push_back(std::string{text.file(token.file)}.append(":").append(std::to_string(token.line)));
  }
  EXPECT_THAT(places, ElementsAre(":1", "lib/x.glsl:7", "lib/x.glsl:8", "k.comp:3"));
}

TEST(GlslTokens, StaysValidWhenMoved) {
  GlslText text = GlslText::source("a b");
  const GlslText moved = std::move(text);
  EXPECT_THAT(texts(moved), ElementsAre("a", "b"));
}

TEST(GlslTokens, KnowsIdentifiers) {
  EXPECT_TRUE(is_glsl_identifier("_a1"));
  EXPECT_FALSE(is_glsl_identifier("1a"));
  EXPECT_FALSE(is_glsl_identifier("a-b"));
  EXPECT_FALSE(is_glsl_identifier(""));
}

}  // namespace
}  // namespace vyre::program
