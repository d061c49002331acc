#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/target.hpp>

namespace vyre::program {

struct GlslOptions {
  std::string file_name = "kernel.comp";  ///< In messages; its folder is where quoted includes are looked for first.
  std::vector<std::pair<std::string, std::string>> defines = {};  ///< Names and values, as if by `#define`.
  std::vector<std::filesystem::path> include_folders = {};
  TargetEnvironment target = TargetEnvironment::Vulkan13;
  bool optimise = true;
  bool debug_info = false;           ///< The source and its lines become part of the module.
  std::string entry_point = "main";  ///< The name of the entry point in the module; in the source it is `main`.

  friend bool operator==(const GlslOptions&, const GlslOptions&) = default;
};

/// Compiles the GLSL of a compute kernel to a valid SPIR-V module. Names stay in it, for reflection.
///
/// `CompileFailed` for what the compiler refuses: the first line it reports is the message, "saxpy.comp:12: 'x' :
/// undeclared identifier", the others are context. `InvalidArgument` for options that cannot be and for text beyond the
/// limits (limits.hpp, macros.hpp, tree.hpp), which keep any text from exhausting stack, memory or time.
/// `OutOfMemory` if there is no room for the thread that compiles, whose stack does not depend on the caller's.
/// Thread safety: may be called concurrently. The first call takes longer: it reads the built-in functions.
[[nodiscard]] Result<std::vector<std::uint32_t>> compile_glsl(std::string_view source, const GlslOptions& options = {});

}  // namespace vyre::program
