#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

// The table in docs/architecture.md says which folder may include which; this compares it with the real includes.

namespace vyre {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = VYRE_SOURCE_DIR;

/// "vyre/policy/bindless.hpp" → "vyre/policy", "cli/main.cpp" → "cli".
std::string layer_of(const std::string& path) {
  static const std::regex kLayer{"^((?:vyre|backends)/[a-z_]+|cli)/"};
  std::smatch match;
  return std::regex_search(path, match, kLayer) ? match[1].str() : "";
}

/// Rows of the form "| `vyre/plan` | `vyre/base`, `vyre/policy` | … |"; a table of other things begins otherwise.
std::map<std::string, std::set<std::string>> allowed_includes() {
  std::map<std::string, std::set<std::string>> allowed;
  std::ifstream file{kRoot / "docs/architecture.md"};
  static const std::regex kRow{R"(^\| `((?:vyre|backends)/[a-z_]+|cli)` \|([^|]*)\|)"};
  static const std::regex kName{"`([a-z_/]+)`"};
  for (std::string line; std::getline(file, line);) {
    std::smatch row;
    if (!std::regex_search(line, row, kRow)) continue;
    const std::string names = row[2];
    std::set<std::string>& layers = allowed[row[1]];
    for (std::sregex_iterator name{names.begin(), names.end(), kName}, end; name != end; ++name) {
      layers.insert((*name)[1]);
    }
  }
  return allowed;
}

TEST(Layers, IncludesFollowTheTable) {
  const auto allowed = allowed_includes();
  ASSERT_FALSE(allowed.empty());
  static const std::regex kInclude{R"(^\s*#include [<"]([a-z_0-9/]+\.hpp)[>"])"};
  int includes = 0;
  for (const char* top : {"vyre", "backends", "cli"}) {
    if (!fs::exists(kRoot / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator{kRoot / top}) {
      const std::string path = fs::relative(entry.path(), kRoot);
      const bool is_source = path.ends_with(".hpp") || path.ends_with(".cpp");
      if (!is_source || path.ends_with("_test.cpp")) continue;
      const std::string from = layer_of(path);
      // What lies in no folder is for users: it includes what they need.
      if (from.empty()) continue;
      ASSERT_TRUE(allowed.contains(from)) << path << " is in a folder that docs/architecture.md does not list";
      std::ifstream file{entry.path()};
      for (std::string line; std::getline(file, line);) {
        std::smatch include;
        if (!std::regex_search(line, include, kInclude)) continue;
        const std::string to = layer_of(include[1]);
        if (to.empty() || to == from) continue;
        ++includes;
        EXPECT_TRUE(allowed.at(from).contains(to)) << path << " includes " << include[1];
      }
    }
  }
  EXPECT_GT(includes, 20);
}

TEST(Layers, EveryListedFolderExists) {
  for (const auto& [layer, includes] : allowed_includes()) {
    EXPECT_TRUE(fs::is_directory(kRoot / layer)) << layer;
    for (const std::string& included : includes) EXPECT_TRUE(fs::is_directory(kRoot / included)) << included;
  }
}

}  // namespace
}  // namespace vyre
