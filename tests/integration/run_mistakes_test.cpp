#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_folder.hpp"
#include "tests/support/run_command.hpp"

// What is wrong is said with file, line and column, what is there and what was expected.

namespace vyre::tests {
namespace {

using testing::HasSubstr;

constexpr const char* kAxpy = R"(#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL = 64;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Params { float scale; uint count; ivec2 at; };
void main() { uint i = gl_GlobalInvocationID.x + at.x; if (i < count) y[i] += scale * x[i]; }
)";

// Lines 1 to 10.
constexpr std::string_view kProgram = "[programs.axpy]\nglsl = \"axpy.comp\"\n";
constexpr std::string_view kBuffers =
    "[buffers.x]\nzeros = 64\ntype = \"f32\"\n[buffers.y]\nzeros = [8, 8]\ntype = \"f32\"\n";
constexpr std::string_view kStep = "[[steps]]\nprogram = \"axpy\"\n";
constexpr std::string_view kRest =
    "bindings = { X = \"x\", Y = \"y\" }\nsize = 64\nparams = { scale = 1, count = 64, at = [0, 0] }\n";

/// A job that would run, up to the keys of its step.
std::string with_step(std::string_view rest) {
  return std::string{kProgram}.append(kBuffers).append(kStep).append(rest);
}

/// A job that would run, with something behind it, on line 14.
std::string with_end(std::string_view end) { return with_step(kRest).append(end); }

/// A job with a buffer, on lines 1 and on, and a step that uses nothing else.
std::string with_buffer(std::string_view keys) {
  return std::string{"[buffers.b]\n"}.append(keys).append("\n[[steps]]\nfill = { buffer = \"b\", value = 0 }\n");
}

struct Mistake {
  std::string job;
  std::string_view message;
  int exit_code = 2;
};

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> kMistakes{
      // TOML and the keys of a job.
      {"", "job.toml:1:1: a job has no steps, it takes at least one, [[steps]]"},
      {"name = \n", "job.toml:1:8: this is no TOML: "},
      {"name = \"a\"\nname = \"b\"\n", "job.toml:2:8: this is no TOML: "},
      {"nam = \"a\"\n", "job.toml:1:1: there is no key 'nam' in a job, there are name, programs, buffers, steps"},
      {"name = 3\n", "job.toml:1:8: 'name' is the number 3, it takes a name"},
      {"programs = 3\n", "job.toml:1:12: 'programs' is the number 3, it takes tables, [programs.NAME]"},
      {"steps = 3\n", "job.toml:1:9: 'steps' is the number 3, it takes a list of tables, [[steps]]"},
      {"steps = [3]\n", "job.toml:1:10: a step is the number 3, it takes a table with program, "},
      {"steps = []\n", "job.toml:1:1: a job has no steps"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r = 1\n", "job.toml:1:34: the key has more than 16 dots"},

      // Programs.
      {"[programs.p]\n", "job.toml:1:1: [programs.p] has none of glsl, spirv, it takes one"},
      {"[programs.p]\nglsl = 'a.comp'\nspirv = 'a.spv'\n", "[programs.p] has glsl and spirv, it takes only one"},
      {"[programs.p]\nglsl = 1979-05-27\n", "job.toml:2:8: 'glsl' is a date, it takes the name of a file"},
      {"[programs.p]\nglsl = 'x'\nvalues = 3\n", "job.toml:3:10: 'values' is the number 3, it takes a table of"},
      {"[programs.p]\nspirv = 'x'\ndefines = {}\n", "job.toml:3:11: 'defines' is a table, it takes GLSL"},
      {"programs.p.glsl = 'none.comp'\n" + with_buffer("zeros = 1\ntype = 'u8'"), "job.toml:1:19: cannot open '"},
      {"programs.p.glsl = 'axpy.spv'\n" + with_buffer("zeros = 1\ntype = 'u8'"),
       "job.toml:1:19: 'axpy.spv' ends in '.spv', GLSL ends in .comp or .glsl"},
      {"programs.p.glsl = 'broken.comp'\n" + with_buffer("zeros = 1\ntype = 'u8'"), "broken.comp:3: ", 5},
      {"programs.p.spirv = 'broken.spv'\n" + with_buffer("zeros = 1\ntype = 'u8'"), "job.toml:1:20: ", 5},
      {"programs.p.glsl = 'image.comp'\n" + with_buffer("zeros = 1\ntype = 'u8'"),
       "images and samplers are not supported", 3},

      // Buffers.
      {with_buffer("type = 'f32'"),
       "job.toml:1:1: [buffers.b] has none of npy, raw, zeros, full, range, random, it takes one"},
      {with_buffer("zeros = 4"), "job.toml:1:1: [buffers.b] has no 'type', it takes one of u8, i8, "},
      {with_buffer("zeros = 4\ntype = 'float'"), "job.toml:3:8: 'type' is the string \"float\", it takes one of u8, "},
      {with_buffer("zeros = 4\ntype = 'c64'"), "job.toml:3:8: 'type' is the string \"c64\", it takes one of u8, "},
      {with_buffer("zeros = 0\ntype = 'f32'"), "job.toml:2:9: 'zeros' is the number 0, it takes a whole number from 1"},
      {with_buffer("zeros = []\ntype = 'f32'"), "job.toml:2:9: 'zeros' is a list of 0, it takes a size, or a list of"},
      {with_buffer("zeros = [4, 2.5]\ntype = 'f32'"), "job.toml:2:13: 'zeros' is the number 2.5, it takes a whole"},
      {with_buffer("zeros = [4294967296, 4294967296]\ntype = 'f32'"), "job.toml:1:10: the array needs "},
      {with_buffer("zeros = 4\ntype = 'f32'\nvalue = 3"),
       "job.toml:4:1: there is no key 'value' in [buffers.b] with 'zeros', there are zeros, type"},
      {with_buffer("full = 4\ntype = 'u8'\nvalue = 256"),
       "job.toml:4:9: 256 does not fit u8, which holds whole numbers from 0 to 255"},
      {with_buffer("full = 4\ntype = 'u8'\nvalue = 0.5"), "job.toml:4:9: 0.5 does not fit u8"},
      {with_buffer("full = 4\ntype = 'f32'\nvalue = '$i'"), "job.toml:4:9: 'value' is the string \"$i\", it takes a "},
      {with_buffer("range = { count = 300 }\ntype = 'u8'"),
       "job.toml:2:9: the range of 300 from 0 in steps of 1 goes beyond u8"},
      {with_buffer("range = 4\ntype = 'u8'"), "job.toml:2:9: 'range' is the number 4, it takes a table with start, "},
      {with_buffer("random = { count = 4 }\ntype = 'u8'"), "job.toml:2:10: 'random' has no 'seed', it takes a whole"},
      {with_buffer("random = { seed = 1, count = 4, min = 3, max = 2 }\ntype = 'u8'"), "'min' is 3 and 'max' is 2"},
      {with_buffer("npy = 'none.npy'"), "job.toml:2:7: cannot open '"},
      {with_buffer("npy = \"a\\n.npy\""), "job.toml:2:7: 'npy' is the string \"a?.npy\", it takes the name of a file"},
      {with_buffer("npy = '.'"), "is a folder, a file is expected"},
      {with_buffer("npy = '/dev/zero'"), "job.toml:2:7: '/dev/zero' is a device or a pipe, a file is expected"},
      {with_buffer("npy = 'axpy.comp'"), "does not begin as .npy files do, with \\x93NUMPY"},
      {with_buffer("npy = 'f32.npy'\ntype = 'f32'"), "job.toml:3:1: there is no key 'type' in [buffers.b] with 'npy'"},
      {with_buffer("npy = 'fortran.npy'"), "fortran.npy': the array is in Fortran order, expected is C order"},
      {with_buffer("npy = 'bool.npy'"), "bool.npy': the elements are booleans ('|b1')"},
      {with_buffer("npy = 'text.npy'"), "text.npy': the elements are '<U1'; they must be u1, i1, "},
      {with_buffer("npy = 'struct.npy'"), "struct.npy': the header has a list as 'descr'"},
      {with_buffer("npy = 'cut.npy'"), "cut.npy': the file has 99 bytes of elements, f32 [5, 5] takes 100"},
      {with_buffer("npy = 'empty.npy'"), "empty.npy' is f64 [0, 3], without elements; it takes at least one"},
      {with_buffer("raw = 'seven.bin'\ntype = 'u16'"), "seven.bin' has 7 bytes, elements of u16 take a multiple of 2"},
      {with_buffer("raw = 'seven.bin'\ntype = 'u8'\nshape = [2, 4]"), "seven.bin' has 7 bytes, u8 [2, 4] takes 8"},
      {with_buffer("raw = 'seven.bin'"), "job.toml:1:1: [buffers.b] has no 'type', it takes one of u8"},

      // Steps.
      {with_step("sizes = 4\n"), "job.toml:11:1: there is no key 'sizes' in a step, there are program, bindings, "},
      {with_step("copy = { from = 'x', to = 'y' }\n"), "job.toml:9:1: a step has program and copy, it takes only one"},
      {with_step(""), "job.toml:9:1: a step with 'program' has none of size, groups, it takes one"},
      {with_step("size = 4\ngroups = 4\n"), "a step with 'program' has size and groups, it takes only one of them"},
      {with_step("size = [1, 2, 3, 4]\n"), "job.toml:11:8: 'size' is a list of 4, it takes a number, or a list of one"},
      {with_step("size = -4\n"), "job.toml:11:8: 'size' is -4, it takes a whole number from 1 to 4294967295"},
      {with_step("size = [70, 0]\n"), "job.toml:11:13: 'size' is 0, it takes a whole number from 1 to 4294967295"},
      {with_step("groups = 0\n"), "job.toml:11:10: 'groups' is 0, it takes a whole number from 1 to 4294967295"},
      {with_end("[[steps]]\nfor = { i = [1, 0] }\nsteps = [{ program = 'axpy', size = '$i', bindings = { X = 'x', Y = "
                "'y' }, params = { scale = 1, count = 64, at = [0, 0] } }]\n"),
       "job.toml:16:37: 'size' is 0, it takes a whole number from 1 to 4294967295"},
      {with_step("size = 1.5\n"), "job.toml:11:8: 'size' is 1.5, it takes a whole number"},
      {with_step("size = '$i'\n"), "job.toml:11:8: there is no loop variable 'i' here, there are none"},
      {with_step("size = 'i'\n"), "'size' is the string \"i\", it takes a number, or a loop variable like \"$i\""},
      {with_step("size = 64\n"), "job.toml:9:1: binding 0 'X' of program 'axpy' is not given"},
      {with_step("size = 64\nbindings = { X = 'x', Z = 'y' }\n"),
       "job.toml:12:23: program 'axpy' has no binding 'Z', it has X, Y"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'z' }\n"),
       "job.toml:12:27: there is no buffer 'z', there are x, y"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 3 }\n"), "job.toml:12:27: 'Y' is the number 3, it takes the "},
      {with_step("size = 64\nbindings = { X = 'x', Y = ['y', 'x'] }\n"),
       "job.toml:12:23: binding 'Y' is given 2 buffers, it takes 1"},
      {with_step("size = 64\nbindings = { X = 'x', \"0.0\" = 'y' }\n"), "binding '0.0' is given twice"},
      {with_step("size = 64\nbindings = { X = 'x', Y = { buffer = 'y', offset = 64 } }\n"),
       "job.toml:12:52: 'offset' is 64, buffer 'y' has 64 elements"},
      {with_step("size = 64\nbindings = { X = 'x', Y = { buffer = 'y', offset = 60, count = 5 } }\n"),
       "job.toml:12:64: 'count' is 5, buffer 'y' has 4 elements from 60 on"},
      {with_step("size = 64\nbindings = { X = 'x', Y = { buffer = 'y', count = 0 } }\n"),
       "'count' is 0, it takes a whole number from 1 to "},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\n"),
       "job.toml:9:1: parameter 'scale' of program 'axpy' is not given, it is a float"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nparams = { scale = 1, cont = 1 }\n"),
       "job.toml:13:23: program 'axpy' has no parameter 'cont', it has scale, count, at"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nparams = { scale = 1, count = -1 }\n"),
       "job.toml:13:31: parameter 'count': -1 does not fit uint, which holds whole numbers from 0 to 4294967295"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nparams = { scale = 1, count = 1.5 }\n"),
       "job.toml:13:31: parameter 'count': 1.5 does not fit uint"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nparams = { scale = 1e40 }\n"),
       "parameter 'scale': 1e+40 does not fit float, the largest it holds is 3.4028235e38"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nparams = { scale = true }\n"),
       "parameter 'scale': true does not fit float, which holds numbers"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nparams = { scale = [1] }\n"),
       "parameter 'scale' has a list of 1 where a float takes one number"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nparams = { at = [1, 2, 3] }\n"),
       "job.toml:13:17: parameter 'at' is a list of 3, a ivec2 takes a list of 2"},
      {with_step("size = 64\nbindings = { X = 'x', Y = 'y' }\nvalues = { LOCAL = -1 }\n"),
       "job.toml:13:20: specialisation constant 'LOCAL': -1 does not fit uint"},
      {with_step("size = 64\nvalues = { GLOBAL = 1 }\n"),
       "job.toml:12:12: program 'axpy' has no specialisation constant 'GLOBAL', it has LOCAL"},
      {with_end("repeat = 0\n"), "job.toml:14:10: 'repeat' is 0, it takes a whole number from 1 to 1000000000"},
      {with_end("swap = ['x']\n"), "job.toml:14:8: 'swap' is a list of 1, it takes a list of two names of buffers"},
      {with_end("swap = ['x', 'x']\n"), "job.toml:14:14: 'x' is swapped with itself, expected is another buffer"},
      {with_end("swap = ['x', 'y']\n"), "'x' is f32 [64] and 'y' is f32 [8, 8], buffers that are swapped are alike"},
      {with_end("[[steps]]\nprogram = 'axpi'\ngroups = 1\n"),
       "job.toml:15:11: there is no program 'axpi', there are axpy"},
      {with_end("[[steps]]\ncopy = { from = 'x' }\n"), "job.toml:15:8: 'copy' has no 'to', it takes the name of"},
      {with_end("[[steps]]\ncopy = { from = 'x', to = { buffer = 'y', count = 3 } }\n"),
       "256 bytes of 'x' are copied to 12 of 'y', it takes as many"},
      {with_end("[[steps]]\ncopy = { from = 'x', to = 'x' }\n"), "job.toml:15:27: what is copied overlaps the place"},
      {with_end("[buffers.d]\nzeros = 8\ntype = 'f64'\n[[steps]]\nprogram = 'axpy'\nsize = 8\n"
                "bindings = { X = 'd', Y = 'y' }\nparams = { scale = 1, count = 8, at = [0, 0] }\n"),
       "job.toml:20:18: buffer 'd' is f64, binding 0 'X' is an array of float; give it one of that type, or say"},
      {with_end("[buffers.d]\nzeros = 8\ntype = 'u32'\n[[steps]]\nprogram = 'axpy'\nsize = 8\n"
                "bindings = { X = { buffer = 'd', reinterpret = 1 }, Y = 'y' }\n"),
       "job.toml:20:48: 'reinterpret' is the number 1, it takes true or false"},
      {with_end("[[outputs]]\nbuffer = 'y'\nraw = 'job.toml'\n"), "the output would take the place of the job itself"},
      {with_end("[[steps]]\nfill = { buffer = 'x' }\n"), "job.toml:15:8: 'fill' has no 'value', it takes a number"},
      {with_end("[[steps]]\nfor = { i = [1] }\n"), "job.toml:14:1: a step has none of program, copy, fill, steps"},
      {with_end("[[steps]]\nfor = { i = [1], j = [2] }\nsteps = []\n"), "'for' has 2 variables, it takes one variable"},
      {with_end("[[steps]]\nfor = { i = [] }\nsteps = [{ fill = { buffer = 'x', value = 0 } }]\n"),
       "job.toml:15:9: 'i' has no values, a loop takes at least one"},
      {with_end("[[steps]]\nfor = { i = { stop = 4, step = 0 } }\nsteps = []\n"),
       "job.toml:15:32: 'step' is the number 0, it takes a number other than 0"},
      {with_end("[[steps]]\nfor = { i = { stop = 100000000 } }\nsteps = [{ fill = { buffer = 'x', value = 0 } }]\n"),
       "the loops go round more than 16777216 times, that is the limit"},
      {with_end("[[steps]]\nrepeat = 1000000\nsteps = [{ repeat = 1000000, fill = { buffer = 'x', value = 0 } }]\n"),
       "the job has more than 1000000000 operations, that is the limit"},
      {with_end("[[steps]]\nfor = { i = [1, -2] }\nsteps = [{ fill = { buffer = 'x', value = 0, count = '$i' } }]\n"),
       "job.toml:16:54: 'count' is -2, it takes a whole number from 1"},
      {with_end("[[steps]]\nsteps = []\n"), "job.toml:15:9: 'steps' is a list of 0, it takes a list of at least one"},

      // Outputs and checks.
      {with_end("[[outputs]]\nbuffer = 'x'\n"), "job.toml:14:1: an output has none of npy, raw, print, it takes one"},
      {with_end("[[outputs]]\nbuffer = 'z'\nprint = true\n"), "job.toml:15:10: there is no buffer 'z', there are x, y"},
      {with_end("[[outputs]]\nbuffer = 'x'\nprint = false\n"),
       "job.toml:16:9: 'print' is false, it takes true, or a number of elements from 1 on"},
      {with_end("[[outputs]]\nbuffer = 'x'\nnpy = '.'\n"), "is a folder, a file is to be written"},
      {with_end("[[outputs]]\nbuffer = 'x'\nnpy = 'axpy.comp/x.npy'\n"), "job.toml:14:1: cannot "},
      {with_end("[[outputs]]\nbuffer = 'x'\nraw = 'o'\n[[outputs]]\nbuffer = 'y'\nraw = 'sub/../o'\n"),
       "job.toml:19:7: 'sub/../o' is written by another output, each takes a file of its own"},
      {with_end("[[checks]]\nbuffer = 'x'\n"), "job.toml:14:1: a check has none of equal, close, it takes one"},
      {with_end("[[checks]]\nbuffer = 'x'\nequal = 'none.npy'\n"), "job.toml:16:9: cannot open '"},
      {with_end("[[checks]]\nbuffer = 'x'\nequal = 'f32.npy'\n"),
       "job.toml:16:9: 'f32.npy' is f32 [5, 5], buffer 'x' is f32 [64]"},
      {with_end("[[checks]]\nbuffer = 'x'\nequal = 'f32.npy'\nrtol = 1\n"),
       "job.toml:17:8: 'rtol' is the number 1, it takes 'close', this check has 'equal'"},
      {with_end("[[checks]]\nbuffer = 'x'\nclose = 'f32.npy'\nrtol = -1\n"),
       "job.toml:17:8: 'rtol' is the number -1, it takes a finite number from 0 on"},
      {with_end("[[checks]]\nbuffer = 'x'\nclose = 'f32.npy'\natol = inf\n"),
       "job.toml:17:8: 'atol' is the number inf, it takes a finite number from 0 on"},
      {with_end("[[outputs]]\nbuffer = 'x'\nnpy = '" + std::string(256, 'n') + "'\n"), "File name too long"},
      {"[programs.many]\nglsl = 'many.comp'\n[[steps]]\nprogram = 'many'\nsize = 1\n",
       "job.toml:3:1: the number of buffers is 2000000000, the limit is 1024", 3},
  };
  return kMistakes;
}

class RunMistakes : public testing::Test {
 protected:
  RunMistakes() {
    folder_.write("axpy.comp", kAxpy);
    folder_.write("broken.comp", "#version 450\nlayout(local_size_x = 1) in;\nvoid main() { x = 1; }\n");
    folder_.write("broken.spv", "this is no module of words");
    folder_.write("image.comp",
                  "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0, r32f) uniform image2D picture;\n"
                  "void main() { imageStore(picture, ivec2(0), vec4(1)); }\n");
    folder_.write("many.comp",
                  "#version 450\nlayout(binding = 0) buffer B { uint v[]; } b[2000000000];\n"
                  "void main() { b[0].v[0] = 1u; }\n");
    folder_.write("seven.bin", "1234567");
    static_cast<void>(folder_.python(R"(
a = np.zeros((5, 5), 'f4')
np.save('f32.npy', a)
np.save('fortran.npy', np.asfortranarray(a))
np.save('bool.npy', a == 0)
np.save('text.npy', np.array(['a', 'b']))
np.save('struct.npy', np.zeros(3, [('x', 'f4'), ('y', 'i4')]))
np.save('empty.npy', np.zeros((0, 3)))
open('cut.npy', 'wb').write(open('f32.npy', 'rb').read()[:-1])
)"));
  }

  JobFolder folder_;
};

TEST_F(RunMistakes, AreNamedWithTheirPlace) {
  EXPECT_GE(mistakes().size(), 40U);
  for (const Mistake& mistake : mistakes()) {
    const CommandResult result = folder_.run(mistake.job);
    EXPECT_EQ(result.exit_code, mistake.exit_code) << mistake.job << result.err << result.out;
    EXPECT_THAT(result.err, HasSubstr(mistake.message)) << mistake.job;
    EXPECT_THAT(result.err, testing::StartsWith("error[")) << mistake.job;
    EXPECT_EQ(result.out, "") << mistake.job;
  }
}

TEST_F(RunMistakes, WithoutAMistakeTheJobsRun) {
  EXPECT_EQ(folder_.run(with_end("")).exit_code, 0);
  EXPECT_EQ(folder_.run(with_buffer("zeros = 4\ntype = 'u8'")).exit_code, 0);
}

TEST_F(RunMistakes, OfTheCommandLineAreNamedToo) {
  folder_.write("job.toml", with_end(""));
  const std::string job = folder_.path("job.toml");
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message, int code = 2) {
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  refused({"run"}, "JOB is required");
  refused({"run", "/no/such.toml"}, "cannot open '/no/such.toml': No such file or directory");
  refused({"run", folder_.path()}, "cannot read '" + folder_.path());
  refused({"run", job, "--mode", "fast"},
          "--mode is 'fast', it takes auto, plain, batched, replay, bindless, merged, persistent or chain");
  refused({"run", job, "--repeat", "0"}, "--repeat");
  refused({"run", job, "--repeat", "-1"}, "--repeat");
  refused({"run", job, "--explore", "1.5"}, "--explore");
  refused({"run", job, "--explore", "nan"}, "--explore: Value nan not in range 0 to 1");
  refused({"run", job, "--device", ""}, "--device: Value is empty");
  refused({"run", job, "--report", ""}, "--report: Value is empty");
  refused({"calibrate", "--device", ""}, "--device: Value is empty");
  refused({"reflect", folder_.path("axpy.comp"), "--entry-point", ""}, "--entry-point: Value is empty");
  refused({"run", job, "--nonsense"}, "--nonsense");
  refused({"run", job, "--device", "nonesuch"}, "has 'nonesuch' in its name", 4);
  refused({"run", job, "--report", folder_.path("axpy.comp/report.json")}, "Not a directory");
  refused({"run", job, job}, job);
}

TEST_F(RunMistakes, ANameWithControlCharactersIsShownWithout) {
  const CommandResult result = folder_.run("\"\\u001b[31m\" = 3\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no key '?[31m' in a job"));
}

}  // namespace
}  // namespace vyre::tests
