#include <vyre/program/glsl/compile.hpp>

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

#include <vyre/program/glsl/limits.hpp>
#include <vyre/program/large_stack.hpp>
#include <vyre/program/validate.hpp>

namespace vyre::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::uint32_t>;

constexpr std::string_view kSaxpy = R"(#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Params { float a; uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

std::string refusal(std::string_view source, const GlslOptions& options = {}) {
  const Result<Words> result = compile_glsl(source, options);
  return result ? "compiled" : to_string(result.error());
}

std::string assembly(const Words& words) {
  std::string text;
  const spvtools::SpirvTools tools{SPV_ENV_VULKAN_1_3};
  EXPECT_TRUE(tools.Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES));
  return text;
}

/// A kernel that stores `value` in its buffer, on line 4.
std::string storing(std::string_view value, std::string_view globals = "") {
  return fmt::format(
      "#version 450\nlayout(local_size_x = 1) in; layout(binding = 0) buffer B {{ float b[]; }};\n{}\n"
      "void main() {{ b[0] = float({}); }}\n",
      globals, value);
}

std::string times(std::size_t count, std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result.append(text);
  return result;
}

/// A folder of files that is gone at the end of the test.
class Folder {
 public:
  Folder() : path_{std::filesystem::temp_directory_path() / fmt::format("vyre_glsl_test_{}_{}", ::getpid(), made++)} {
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream{path_ / name} << text;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).generic_string(); }

 private:
  static inline std::atomic<int> made = 0;
  std::filesystem::path path_;
};

TEST(Glsl, CompilesForEachTarget) {
  constexpr std::array<std::uint32_t, 3> kVersions = {0x0001'0300, 0x0001'0500, 0x0001'0600};
  for (const TargetEnvironment target :
       {TargetEnvironment::Vulkan11, TargetEnvironment::Vulkan13, TargetEnvironment::Vulkan12}) {
    for (const bool optimised : {false, true}) {
      const Result<Words> words = compile_glsl(kSaxpy, {.target = target, .optimise = optimised});
      ASSERT_TRUE(words) << to_string(words.error());
      EXPECT_EQ((*words)[1], kVersions[static_cast<std::size_t>(target)]);
      EXPECT_TRUE(validate(*words, {.target = target}));
    }
  }
}

TEST(Glsl, CompilesEveryKernelOfTheCorpus) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{VYRE_SOURCE_DIR "/tests/kernels"}) {
    if (entry.path().extension() != ".comp") continue;
    std::ifstream file{entry.path()};
    EXPECT_EQ(refusal(std::string{std::istreambuf_iterator<char>{file}, {}}), "compiled") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 50);
}

TEST(Glsl, OptimisesAndKeepsNames) {
  const Words plain = compile_glsl(kSaxpy, {.optimise = false}).value();
  const Words better = compile_glsl(kSaxpy).value();
  EXPECT_LT(better.size(), plain.size());
  EXPECT_THAT(assembly(better), HasSubstr("OpMemberName %Params 1 \"n\""));
}

TEST(Glsl, AddsDebugInfoIfAsked) {
  EXPECT_THAT(assembly(compile_glsl(kSaxpy).value()), Not(HasSubstr("OpLine")));
  const std::string text = assembly(compile_glsl(kSaxpy, {.file_name = "saxpy.comp", .debug_info = true}).value());
  EXPECT_THAT(text, HasSubstr("OpString \"saxpy.comp\""));
  EXPECT_THAT(text, HasSubstr("OpLine"));
  EXPECT_THAT(text, HasSubstr("if (i < n) y[i] = a * x[i] + y[i];"));
}

TEST(Glsl, NamesTheEntryPoint) {
  EXPECT_THAT(assembly(compile_glsl(kSaxpy, {.entry_point = "saxpy"}).value()),
              HasSubstr("OpEntryPoint GLCompute %saxpy \"saxpy\""));
  EXPECT_EQ(refusal(kSaxpy, {.entry_point = "1st"}),
            "error[invalid-argument]: entry point '1st' needs to be an identifier");
}

TEST(Glsl, ReportsMistakesWithFileAndLine) {
  EXPECT_EQ(refusal(storing("missing"), {.file_name = "saxpy.comp"}),
            "error[compile-failed]: saxpy.comp:4: 'missing' : undeclared identifier");
  EXPECT_EQ(refusal("#version 450\nvoid main() { int a = 1 }\n"),
            "error[compile-failed]: kernel.comp:2: '' :  syntax error, unexpected RIGHT_BRACE, expecting COMMA or "
            "SEMICOLON");
  EXPECT_EQ(refusal("#version 450\n#error this and that\nvoid main() {}\n"),
            "error[compile-failed]: kernel.comp:2: '#error' : this and that");
  EXPECT_EQ(refusal("#version 450\nvoid f() {}\n"),
            "error[compile-failed]: kernel.comp: Linking compute stage: Missing entry point: Each stage requires one "
            "entry point");
  EXPECT_EQ(refusal(storing("f(1)", "int f(int x);\nint g(int x) { return f(x); }\nint f(int x) { return g(x); }")),
            "error[compile-failed]: kernel.comp:5: function 'f' calls itself, which GLSL does not allow");
}

TEST(Glsl, GivesFurtherLinesAsContext) {
  const Result<Words> result = compile_glsl(storing("1.0hf"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::CompileFailed);
  EXPECT_EQ(result.error().message,
            "kernel.comp:4: 'half floating-point suffix' : required extension not requested: Possible extensions "
            "include:");
  EXPECT_THAT(result.error().context,
              ElementsAre("GL_AMD_gpu_shader_half_float", "GL_EXT_shader_explicit_arithmetic_types",
                          "GL_EXT_shader_explicit_arithmetic_types_float16"));
}

TEST(Glsl, NeedsAVersionThatHasKernels) {
  constexpr std::string_view kNeeds = "a compute kernel needs 430, 440, 450 or 460, or 310 es or 320 es";
  const auto version = [](std::string_view text) {
    return refusal(fmt::format("{}\nlayout(local_size_x = 1) in;\nvoid main() {{}}\n", text));
  };
  for (const std::string_view good : {"#version 430", "#version 440 core", "#version 450", "// first\n\n# version 460",
                                      "#version 310 es", "#version 320 es"}) {
    EXPECT_EQ(version(good), "compiled") << good;
  }
  EXPECT_EQ(version(""),
            fmt::format("error[compile-failed]: kernel.comp: the text does not begin with #version, {}", kNeeds));
  EXPECT_EQ(refusal(""),
            fmt::format("error[compile-failed]: kernel.comp: the text does not begin with #version, {}", kNeeds));
  testing::internal::CaptureStdout();
  for (const std::string_view bad :
       {"\n#version 110", "\n#version 0", "\n#version 420", "\n#version 310", "\n#version 450 es",
        "\n#version 450 compatibility", "\n#version 99999999999", "\n#version", "\n#version 450 core x"}) {
    EXPECT_EQ(version(bad),
              fmt::format("error[compile-failed]: kernel.comp:2: this #version has no compute kernels, {}", kNeeds))
        << bad;
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Glsl, TakesDefines) {
  const Result<Words> one = compile_glsl(storing("VALUE"), {.defines = {{"VALUE", "(1.0 + 6.0)"}, {"EMPTY", ""}}});
  ASSERT_TRUE(one) << to_string(one.error());
  EXPECT_THAT(assembly(*one), HasSubstr("OpConstant %float 7"));
  // The lines of the source stay what they are.
  EXPECT_EQ(refusal(storing("missing"), {.defines = {{"ONE", "1"}, {"TWO", "2"}}}),
            "error[compile-failed]: kernel.comp:4: 'missing' : undeclared identifier");
  EXPECT_EQ(refusal(storing("(" + times(300, "(") + "1" + times(301, ")")), {.defines = {{"A", "1"}}}),
            "error[invalid-argument]: kernel.comp:4: brackets nest 257 deep, the limit is 256");
}

TEST(Glsl, RefusesDefinesThatAreNone) {
  EXPECT_EQ(refusal(kSaxpy, {.defines = {{"1A", "1"}}}),
            "error[invalid-argument]: define '1A' needs to be an identifier");
  EXPECT_EQ(refusal(kSaxpy, {.defines = {{"F(x)", "x"}}}),
            "error[invalid-argument]: define 'F(x)' needs to be an identifier");
  EXPECT_EQ(refusal(kSaxpy, {.defines = {{"A", "1\n#define B"}}}),
            "error[invalid-argument]: the value of define 'A' needs to be one line");
  EXPECT_EQ(refusal(kSaxpy, {.defines = {{"A", "1 \\"}}}),
            "error[invalid-argument]: the value of define 'A' needs to be one line");
  EXPECT_EQ(refusal(kSaxpy, {.defines = {{"A", "1 /* "}}}),
            "error[invalid-argument]: the value of define 'A' has a comment, it needs to be without");
  EXPECT_EQ(refusal(kSaxpy, {.file_name = "a\"b"}),
            "error[invalid-argument]: file name 'a\"b' needs at least 1 character, and no quote, backslash or control "
            "character");
  std::vector<std::pair<std::string, std::string>> doubling = {{"A0", "1"}};
  for (int i = 1; i < 40; ++i) doubling.emplace_back(fmt::format("A{}", i), fmt::format("A{} + A{}", i - 1, i - 1));
  EXPECT_THAT(refusal(storing("A39"), {.defines = doubling}), HasSubstr("kernel.comp:4: the text may expand to"));
}

TEST(Glsl, IncludesFiles) {
  const Folder folder;
  folder.write("near.glsl", "#include \"deep/er.glsl\"\n");
  folder.write("deep/er.glsl", "#include \"next.glsl\"\n#include <far.glsl>\n");
  folder.write("deep/next.glsl", "#ifndef NEXT\n#define NEXT 5\n#endif\n");
  folder.write("lib/far.glsl", "const float kFar = 6.0;\n");
  const GlslOptions options{.file_name = folder.file("k.comp"), .include_folders = {folder.path() / "lib"}};
  const Result<Words> words =
      compile_glsl(storing("NEXT + kFar", "#include \"near.glsl\"\n#include \"deep/next.glsl\""), options);
  ASSERT_TRUE(words) << to_string(words.error());
  EXPECT_THAT(assembly(*words), HasSubstr("OpConstant %float 11"));
}

TEST(Glsl, FindsQuotedFilesNearFirst) {
  const Folder folder;
  folder.write("x.glsl", "const float kX = 1.0;\n");
  folder.write("lib/x.glsl", "const float kX = 2.0;\n");
  const GlslOptions options{.file_name = folder.file("k.comp"), .include_folders = {folder.path() / "lib"}};
  EXPECT_THAT(assembly(compile_glsl(storing("kX", "#include \"x.glsl\""), options).value()),
              HasSubstr("OpConstant %float 1"));
  EXPECT_THAT(assembly(compile_glsl(storing("kX", "#include <x.glsl>"), options).value()),
              HasSubstr("OpConstant %float 2"));
}

TEST(Glsl, ReportsMistakesInIncludedFiles) {
  const Folder folder;
  folder.write("bad.glsl", "float f() {\n  return missing;\n}\n");
  folder.write("deep.glsl", "\n" + times(300, "(") + "\n");
  const GlslOptions options{.file_name = folder.file("k.comp")};
  EXPECT_THAT(refusal(storing("1", "#include \"bad.glsl\""), options),
              StartsWith(fmt::format("error[compile-failed]: {}:2: 'missing' : undeclared identifier",
                                     folder.file("bad.glsl"))));
  EXPECT_EQ(
      refusal(storing("1", "#include \"deep.glsl\""), options),
      fmt::format("error[invalid-argument]: {}:2: brackets nest 257 deep, the limit is 256", folder.file("deep.glsl")));
  // Behind an include, the lines of the file that includes go on.
  folder.write("good.glsl", "\n\n\n");
  EXPECT_EQ(refusal(storing("missing", "#include \"good.glsl\""), options),
            fmt::format("error[compile-failed]: {}:4: 'missing' : undeclared identifier", folder.file("k.comp")));
  EXPECT_EQ(
      refusal(storing(times(300, "(") + "1" + times(300, ")"), "#include \"good.glsl\""), options),
      fmt::format("error[invalid-argument]: {}:4: brackets nest 257 deep, the limit is 256", folder.file("k.comp")));
}

TEST(Glsl, NamesTheFoldersOfAMissingFile) {
  const Folder folder;
  const GlslOptions options{.file_name = "shaders/k.comp", .include_folders = {"lib", folder.path()}};
  EXPECT_EQ(
      refusal(storing("1", "#include \"none.glsl\""), options),
      fmt::format("error[compile-failed]: shaders/k.comp:3: '#include' : not found in 'shaders', 'lib' and '{}' for "
                  "header name: none.glsl",
                  folder.path().generic_string()));
  EXPECT_EQ(refusal(storing("1", "#include <none.glsl>"), options),
            fmt::format("error[compile-failed]: shaders/k.comp:3: '#include' : not found in 'lib' and '{}' for header "
                        "name: none.glsl",
                        folder.path().generic_string()));
  EXPECT_EQ(
      refusal(storing("1", "#include <none.glsl>")),
      "error[compile-failed]: kernel.comp:3: '#include' : not found in any folder, since none is given for header "
      "name: none.glsl");
  // What a condition leaves out may be missing.
  EXPECT_EQ(refusal(storing("1", "#if 0\n#include <none.glsl>\n#endif")), "compiled");
}

TEST(Glsl, LimitsIncludes) {
  const Folder folder;
  const GlslOptions options{.file_name = folder.file("k.comp")};
  const auto including = [&](std::string_view name) {
    return refusal(storing("1", fmt::format("#include \"{}\"", name)), options);
  };
  folder.write("self.glsl", "#include \"self.glsl\"\n");
  EXPECT_EQ(including("self.glsl"), fmt::format("error[invalid-argument]: {}: includes nest 33 deep, the limit is 32",
                                                folder.file("self.glsl")));
  // Each includes the next twice.
  folder.write("t30.glsl", std::string(10'000, ' '));
  for (int i = 0; i < 30; ++i) {
    folder.write(fmt::format("t{}.glsl", i),
                 fmt::format("#include \"t{}.glsl\"\n#include \"t{}.glsl\"\n", i + 1, i + 1));
  }
  EXPECT_THAT(including("t0.glsl"), HasSubstr("bytes are included, the limit is 4194304"));
  folder.write("large.glsl", std::string(kMaxGlslBytes + 1, ' '));
  EXPECT_EQ(including("large.glsl"),
            fmt::format("error[invalid-argument]: {}: the text has 1048577 bytes, the limit is 1048576",
                        folder.file("large.glsl")));
  std::string many;
  for (int i = 0; i < 300; ++i) {
    folder.write(fmt::format("m{}.glsl", i), "\n");
    many.append(fmt::format("#include \"m{}.glsl\"\n", i));
  }
  folder.write("many.glsl", many);
  EXPECT_THAT(including("many.glsl"), HasSubstr("the kernel may include 257 files, the limit is 256"));
  // Macros that only together explode.
  std::string doubling = "#define A0 1\n";
  for (int i = 1; i < 20; ++i) doubling.append(fmt::format("#define A{} A{} A{}\n", i, i - 1, i - 1));
  folder.write("first.glsl", doubling);
  folder.write("second.glsl", "#define ALL A19 A19\n");
  EXPECT_THAT(refusal(storing("1", "#include \"first.glsl\"\n#include \"second.glsl\"\nALL"), options),
              HasSubstr("k.comp:5: the text may expand to"));
  // Not a file.
  std::filesystem::create_directory(folder.path() / "folder.glsl");
  EXPECT_THAT(including("folder.glsl"), HasSubstr("not found"));
  EXPECT_THAT(refusal(storing("1", "#include \"/dev/zero\""), options), HasSubstr("not found"));
}

TEST(Glsl, RefusesWhatMacrosBuild) {
  // Harmless as written, deep when expanded.
  EXPECT_EQ(refusal(storing("1" + times(50, " H"),
                            "#define P +1\n#define D P P P P P P P P P P\n#define H D D D D D D D D D D")),
            "error[invalid-argument]: kernel.comp:6: an expression is 4097 operators deep, the limit is 4096");
  EXPECT_EQ(refusal(storing(times(30, "O ") + "1" + times(30, " C"), "#define O ((((((((((\n#define C ))))))))))")),
            "error[invalid-argument]: kernel.comp:5: brackets nest 257 deep, the limit is 256");
  EXPECT_EQ(refusal(storing(
                "1", "#define I if (true)\n#define J I I I I I I I I I I\nvoid f() { " + times(30, "J ") + "; }")),
            "error[invalid-argument]: kernel.comp:5: statements nest 257 deep, the limit is 256");
}

TEST(Glsl, RefusesWhatUnfoldsInTheCompiler) {
  EXPECT_EQ(
      refusal(storing("p == q ? 1 : 2", "float p[1000000], q[1000000];")),
      "error[invalid-argument]: kernel.comp:4: operations on whole arrays and structures handle 1000000 elements, "
      "the limit is 131072 in all");
  EXPECT_THAT(refusal(storing("1", "float p" + times(10, "[9]") + ", q" + times(10, "[9]") + ";\nvoid f() { p = q; }")),
              HasSubstr("handle 3486784401 elements"));
  std::string structures = "struct S0 { float a[64]; };\n";
  for (int i = 1; i < 12; ++i) structures.append(fmt::format("struct S{} {{ S{} a[64]; }};\n", i, i - 1));
  EXPECT_THAT(refusal(storing("1", structures + "S11 f(S11 s) { return s; }")),
              HasSubstr("elements, the limit is 131072"));
  std::string calls = "float f0(float x) { return x; }\nfloat f1(float x) { return x; }\n";
  for (int i = 2; i < 60; ++i) {
    calls.append(fmt::format("float f{}(float x) {{ return f{}(x) + f{}(x); }}\n", i, i - 1, i - 2));
  }
  EXPECT_THAT(refusal(storing("f59(1)", calls)), HasSubstr("ways through 117 calls, their product has the limit"));
  std::string table = "const float t[20000] = {0";
  for (int i = 1; i < 20'000; ++i) table.append(fmt::format(", {}", i));
  EXPECT_THAT(refusal(storing("t[int(b[1])]", table + "};")), HasSubstr("different constants, the limit is 16384"));
}

TEST(Glsl, TakesSharedMemoryThatBeginsAsZeros) {
  const std::string kernel =
      "layout(local_size_x = 4) in;\nlayout(binding = 0) buffer Data { uint data[]; };\n"
      "shared uint counts[4] = {}, total = {};\n"
      "void main() { data[gl_LocalInvocationIndex] = counts[gl_LocalInvocationIndex] + total; }\n";
  const auto words = compile_glsl("#version 450\n#extension GL_EXT_null_initializer : require\n" + kernel);
  ASSERT_TRUE(words) << to_string(words.error());
  EXPECT_THAT(assembly(*words), HasSubstr("OpConstantNull"));
  EXPECT_THAT(refusal("#version 450\n" + kernel), HasSubstr("'empty { } initializer' : not supported"));
}

TEST(Glsl, CompilesUpToItsLimits) {
  EXPECT_EQ(refusal(storing("b[1]" + times(4'000, " + b[2]"))), "compiled");
  EXPECT_EQ(refusal(storing(times(250, "(") + "b[1]" + times(250, ")"))), "compiled");
  std::string table = "const float t[4096] = {0";
  for (int i = 1; i < 4'096; ++i) table.append(fmt::format(", {}", i));
  EXPECT_EQ(refusal(storing("t[int(b[1])]", table + "};")), "compiled");
  EXPECT_EQ(refusal(storing(
                "1", "void f() { if (b[0] == 0) b[1] = 1;" + times(250, " else if (b[0] == 1) b[1] = 2;") + " }")),
            "compiled");
}

TEST(Glsl, ReportsAModuleThatIsInvalid) {
  // The compiler does not mind 300 parameters, the module may have 255.
  const std::string source = storing(
      "f(1" + times(299, ", 1") + ")", "int f(int a" + [] {
        std::string more;
        for (int i = 0; i < 299; ++i) more.append(fmt::format(", int a{}", i));
        return more;
      }() + ") { return a; }");
  EXPECT_THAT(refusal(source), StartsWith("error[compile-failed]: module is invalid at word"));
  EXPECT_THAT(refusal(source), HasSubstr("while checking what 'kernel.comp' compiles to"));
}

TEST(Glsl, SurvivesTextCutAnywhere) {
  for (std::size_t length = 0; length < kSaxpy.size(); length += 3) {
    EXPECT_NE(refusal(kSaxpy.substr(0, length)), "compiled") << length;
  }
}

TEST(LargeStack, HasTheRoomItPromises) {
  std::size_t bytes = 0;
  ASSERT_TRUE(run_on_large_stack([&] {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    EXPECT_EQ(pthread_attr_getstacksize(&attributes, &bytes), 0);
    pthread_attr_destroy(&attributes);
  }));
  EXPECT_GE(bytes, kLargeStackBytes);
}

TEST(GlslThreads, CompileAtTheSameTime) {
  const Words expected = compile_glsl(kSaxpy).value();
  std::atomic<int> agreeing = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        const Result<Words> words = compile_glsl(kSaxpy);
        if (words && *words == expected) ++agreeing;
        // Others fail and succeed beside it, for other targets and versions.
        const TargetEnvironment target = i % 2 == 0 ? TargetEnvironment::Vulkan11 : TargetEnvironment::Vulkan12;
        if (!compile_glsl(storing("missing"), {.target = target})) ++agreeing;
        if (compile_glsl(
                fmt::format("#version {}\nlayout(local_size_x = {}) in;\nvoid main() {{}}\n", 430 + 10 * t, i + 1))) {
          ++agreeing;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(agreeing, 4 * 8 * 3);
}

}  // namespace
}  // namespace vyre::program
