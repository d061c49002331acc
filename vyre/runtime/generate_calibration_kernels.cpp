// Compiles the kernels that `calibrate` runs, so that calibrating needs no GLSL compiler, which would take 30 MB and a
// tenth of a second to start.
//
//   generate_calibration_kernels OUTPUT.inc
//
// The build runs this program; it never sees a user's input.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include <vyre/program/program.hpp>

namespace {

/// A kernel that does next to nothing: its time is that of launching it.
constexpr const char* kTiny = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { float scale; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] = scale * x[i] + y[i];
}
)";

/// A kernel that takes much longer than launching it.
constexpr const char* kBody = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { float scale; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x % 64u;
  float value = scale;
  for (uint k = 0u; k < 256u; ++k) {
    value = value * 0.5 + x[(i + k) % 64u];
    value = sqrt(value * value + 1.0) * 0.25 + x[i];
  }
  y[i] = value;
}
)";

/// A kernel with `count` buffers: adds up the first elements of all but one.
std::string many_buffers(std::uint32_t count) {
  std::string source = "#version 450\nlayout(local_size_x = 64) in;\n";
  std::string sum = "0.0";
  for (std::uint32_t i = 0; i < count; ++i) {
    source += fmt::format("layout(binding = {0}) {1} buffer B{0} {{ float b{0}[]; }};\n", i, i == 0 ? "" : "readonly");
    if (i > 0) sum += fmt::format(" + b{}[i]", i);
  }
  return source + fmt::format("void main() {{\n  uint i = gl_LocalInvocationIndex;\n  b0[i] = {};\n}}\n", sum);
}

/// The words of a kernel as a braced list.
std::string compile(const std::string& source, const std::string& name) {
  const auto program = vyre::program::Program::from_glsl(source, {.name = name});
  if (!program) {
    std::cerr << to_string(program.error()) << "\n";
    std::exit(1);
  }
  std::string list = "{";
  for (std::size_t i = 0; i < program->words().size(); ++i) {
    list += fmt::format("{}{:#x},", i % 8 == 0 ? "\n    " : " ", program->words()[i]);
  }
  return list + "\n}";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: generate_calibration_kernels OUTPUT.inc\n";
    return 2;
  }
  std::ofstream out{argv[1]};
  out << "constexpr std::uint32_t kTiny[] = " << compile(kTiny, "vyre.tiny") << ";\n";
  out << "constexpr std::uint32_t kBody[] = " << compile(kBody, "vyre.body") << ";\n";
  // Every Vulkan device can bind four buffers.
  std::string table;
  for (const std::uint32_t count : {16U, 8U, 4U, 2U}) {
    out << fmt::format("constexpr std::uint32_t kBuffers{}[] = {};\n", count,
                       compile(many_buffers(count), "vyre.buffers"));
    table += fmt::format("    {{{0}, kBuffers{0}}},\n", count);
  }
  out << "/// A kernel by the number of its buffers, the largest first.\n"
         "struct KernelOfBuffers {\n  std::uint32_t count;\n  std::span<const std::uint32_t> words;\n};\n"
         "constexpr KernelOfBuffers kManyBuffers[] = {\n"
      << table << "};\n";
  return out.flush() ? 0 : 1;
}
