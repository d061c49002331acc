#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/glsl/tokens.hpp>

namespace vyre::program {

inline constexpr std::size_t kMaxGlslIncludedFiles = 256;
inline constexpr std::size_t kMaxGlslIncludedBytes = std::size_t{4}
                                                     << 20;  ///< Counted once for each time a file is included.
inline constexpr std::size_t kMaxGlslIncludeDepth = 32;

/// A file that a kernel may include.
struct GlslIncludedFile {
  std::string name = {};  ///< The path at which it was found.
  std::string text = {};
  GlslText tokens = GlslText::source({});
  Result<void> usable = {};  ///< The error if it cannot be included.
};

/// All files that a kernel may include, also in branches of `#if` that are not taken. Each is read once.
class GlslIncludes {
 public:
  explicit GlslIncludes(std::span<const std::filesystem::path> folders);

  /// Reads the files that `text` may include, and the files that those may include. Missing files are not an error
  /// here; `find` does not find them. `InvalidArgument` for more files or bytes than the limits.
  [[nodiscard]] Result<void> load(const GlslText& text, std::string_view file);

  /// The file that `#include "name"` or `#include <name>` in the file `includer` means, or null.
  [[nodiscard]] const GlslIncludedFile* find(std::string_view name, std::string_view includer, bool is_quoted) const;
  /// Where `find` looks, for messages: "'.', 'shaders' and 'lib'".
  [[nodiscard]] std::string searched(std::string_view includer, bool is_quoted) const;

  [[nodiscard]] std::deque<GlslIncludedFile>& files() noexcept { return files_; }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> places(std::string_view includer, bool is_quoted) const;
  [[nodiscard]] Result<void> read(const std::filesystem::path& path);

  std::vector<std::filesystem::path> folders_;
  std::deque<GlslIncludedFile> files_;
  std::unordered_map<std::string, const GlslIncludedFile*> known_;
  std::size_t bytes_ = 0;
};

}  // namespace vyre::program
