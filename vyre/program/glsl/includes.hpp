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
inline constexpr std::size_t kMaxGlslIncludedBytes = std::size_t{4} << 20;  ///< As often as they are included.
inline constexpr std::size_t kMaxGlslIncludeDepth = 32;

/// A file that a kernel may include.
struct GlslIncludedFile {
  std::string name = {};  ///< As found: the folder and the name.
  std::string text = {};
  GlslText tokens = GlslText::source({});
  Result<void> usable = {};  ///< Why it cannot be included.
};

/// All files that a kernel may include, whichever its conditions choose, each read once.
class GlslIncludes {
 public:
  explicit GlslIncludes(std::span<const std::filesystem::path> folders);

  /// Reads what `text` may include, and what that may include. Files that are not there are left to `find`.
  /// `InvalidArgument` for more files or bytes than the limits.
  [[nodiscard]] Result<void> load(const GlslText& text, std::string_view file);

  /// The file behind `#include "name"` or `#include <name>` in the file `includer`, or null.
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
