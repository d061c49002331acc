#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/base/error.hpp>

#include "cli/command.hpp"

// What the documents show is what is compiled: a block of code in one stands, line for line, in a source.

namespace vyre {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = VYRE_SOURCE_DIR;

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found{kRoot / "README.md"};
  for (const auto& entry : fs::directory_iterator{kRoot / "docs"}) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

struct Block {
  fs::path file = {};
  std::size_t line = 0;
  std::string language = {};
  std::vector<std::string> lines = {};
};

std::vector<Block> blocks_of(const fs::path& document) {
  std::vector<Block> blocks;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(document)) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({.file = document, .line = number, .language = line.substr(3)});
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

/// Whether the lines of a block stand in a source one after another, all of them indented by as much.
bool stands_at(const std::vector<std::string>& block, const std::vector<std::string>& source, std::size_t begin) {
  if (begin + block.size() > source.size() || !source[begin].ends_with(block[0])) return false;
  const std::string indent = source[begin].substr(0, source[begin].size() - block[0].size());
  if (indent.find_first_not_of(' ') != std::string::npos) return false;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (source[begin + i] != (block[i].empty() ? "" : indent + block[i])) return false;
  }
  return true;
}

bool stands_in(const std::vector<std::string>& block, const std::vector<std::string>& source) {
  for (std::size_t begin = 0; begin < source.size(); ++begin) {
    if (stands_at(block, source, begin)) return true;
  }
  return false;
}

TEST(Docs, EveryBlockOfCodeIsCompiled) {
  std::map<std::string, std::vector<std::vector<std::string>>> sources;  // By language.
  for (const char* folder : {"examples", "vyre", "backends", "tests/conformance"}) {
    for (const auto& entry : fs::recursive_directory_iterator{kRoot / folder}) {
      const std::string extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".hpp") {
        sources["cpp"].push_back(lines_of(entry.path()));
      } else if (entry.path().filename() == "CMakeLists.txt") {
        sources["cmake"].push_back(lines_of(entry.path()));
      }
    }
  }
  sources["glsl"] = sources["cpp"];  // Kernels stand there as text.
  int checked = 0;
  for (const fs::path& document : documents()) {
    for (const Block& block : blocks_of(document)) {
      const auto known = sources.find(block.language);
      if (known == sources.end() || block.lines.empty()) continue;
      ++checked;
      EXPECT_TRUE(
          std::ranges::any_of(known->second, [&](const auto& source) { return stands_in(block.lines, source); }))
          << block.file.string() << ':' << block.line << ": this block stands in no source";
    }
  }
  EXPECT_GT(checked, 15);
}

TEST(Docs, EveryErrorIsExplained) {
  const std::vector<std::string> lines = lines_of(kRoot / "docs/errors.md");
  for (const ErrorCode code :
       {ErrorCode::InvalidArgument, ErrorCode::Unsupported, ErrorCode::Unavailable, ErrorCode::CompileFailed,
        ErrorCode::OutOfMemory, ErrorCode::TimedOut, ErrorCode::DeviceLost, ErrorCode::Corrupt, ErrorCode::Internal}) {
    const std::string name{to_string(code)};
    const std::string row = "| `" + name + "` | " + std::to_string(cli::to_exit_code(code)) + " | " +
                            std::string{to_string(default_retry(code))} + " |";
    EXPECT_TRUE(std::ranges::any_of(lines, [&](const std::string& line) { return line.starts_with(row); })) << row;
    EXPECT_TRUE(std::ranges::find(lines, "## `" + name + "`") != lines.end()) << name;
  }
}

TEST(Docs, EveryLinkLeadsSomewhere) {
  static const std::regex kLink{R"(\]\(([^)#]+)(#[^)]*)?\))"};
  int checked = 0;
  for (const fs::path& document : documents()) {
    for (const std::string& line : lines_of(document)) {
      for (std::sregex_iterator link{line.begin(), line.end(), kLink}, end; link != end; ++link) {
        const std::string target = (*link)[1];
        if (target.find("://") != std::string::npos) continue;
        ++checked;
        EXPECT_TRUE(fs::exists(document.parent_path() / target)) << document.string() << " names " << target;
      }
    }
  }
  EXPECT_GT(checked, 10);
}

}  // namespace
}  // namespace vyre
