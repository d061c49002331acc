#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/spirv_cache.hpp>
#include <vyre/program/target.hpp>

namespace vyre::program {

struct GlslOptions {
  std::string file_name = "kernel.comp";  ///< For messages. Quoted includes are looked for in its folder first.
  std::vector<std::pair<std::string, std::string>> defines = {};  ///< Names and values, as if by `#define`.
  std::vector<std::filesystem::path> include_folders = {};
  TargetEnvironment target = TargetEnvironment::Vulkan13;
  bool optimise = true;
  bool debug_info = false;           ///< Whether the module contains the source and its line numbers.
  std::string entry_point = "main";  ///< The name of the entry point in the module; in the source it is `main`.
  SpirvCache* cache = nullptr;       ///< Where to look before compiling, if anywhere. It is told what was compiled.

  friend bool operator==(const GlslOptions&, const GlslOptions&) = default;
};

/// Compiles the GLSL of a compute kernel to a valid SPIR-V module. Names stay in it, for reflection. A module that
/// comes from `GlslOptions::cache` was not validated.
///
/// `CompileFailed` if the compiler refuses the text: its first line is the message, "saxpy.comp:12: 'x' : undeclared
/// identifier", the others are context. `InvalidArgument` for wrong options, and for a text beyond the limits
/// (limits.hpp, macros.hpp, tree.hpp), so that no text can exhaust stack, memory or time. `OutOfMemory` if there is no
/// memory for the thread that compiles, which has a stack of its own. Thread safety: may be called concurrently. The
/// first call takes longer, because the compiler reads its built-in functions.
[[nodiscard]] Result<std::vector<std::uint32_t>> compile_glsl(std::string_view source, const GlslOptions& options = {});

}  // namespace vyre::program
