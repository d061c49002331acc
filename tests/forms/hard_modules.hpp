#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/program/program.hpp>

/// Kernels that are hard to bring into another form, each for a reason of its own.
///
/// A module is a value: a text from `tests/forms/modules`, how to make a program of it, and work to give it. It stays
/// within its buffers and leaves the same bytes whenever it runs, so that forms can be compared with one another.
namespace vyre::tests {

/// A form that a module does not have.
struct Refusal {
  std::string form = {};  ///< `pointer`, `merged`, `persistent` or `chain`.
  std::string word = {};  ///< What the message must have.
  bool must = true;       ///< Whether it has to be refused; where not, a form that is given has to be right.

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

struct HardModule {
  std::string name = {};  ///< Of the file, and how it was compiled where it is more than once.
  std::string text = {};  ///< GLSL, or SPIR-V assembly.
  bool is_glsl = true;
  std::uint32_t version = 0x10300;       ///< Of assembled SPIR-V: 0x10300 is 1.3.
  program::ProgramOptions options = {};  ///< With the target, the entry point and whether blocks are scalar.
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::vector<std::vector<std::byte>> buffers = {};  ///< Before a dispatch, by set, slot and element.
  std::vector<std::byte> params = {};
  std::vector<program::spirv::SpecOverride> values = {};
  std::vector<Refusal> refused = {};
  bool runs = true;             ///< Whether to run it: some drivers take minutes for a value of a thousand vectors.
  std::string no_program = {};  ///< What the message has where not even a program comes of it; empty otherwise.
};

/// All of them, in a fixed order, with unique names, made once.
[[nodiscard]] const std::vector<HardModule>& hard_modules();

/// A module that a driver gets wrong as written, so that nothing can be compared with it there.
struct DriverFault {
  std::string_view driver = {};  ///< A part of its name.
  std::string_view module = {};  ///< However it was compiled.
  std::string_view reason = {};
};

/// The fault of a driver in a module, or null.
[[nodiscard]] const DriverFault* find_fault(std::string_view driver, const HardModule& module);

/// Compiles or assembles a module, validates and reflects it.
[[nodiscard]] Result<program::Program> make_program(const HardModule& module);

/// The text of a file of `tests/forms/modules`, which must be there.
[[nodiscard]] std::string module_text(const std::string& file);

}  // namespace vyre::tests
