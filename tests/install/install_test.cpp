#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_command.hpp"

// What others find where vyre is installed: a copy in the build folder, made before these tests.

namespace vyre::tests {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

const fs::path kInstalled = VYRE_INSTALLED;
const fs::path kLibraries = kInstalled / VYRE_INSTALL_LIBDIR;
const fs::path kConsumer = fs::path{VYRE_SOURCE_DIR} / "examples/consumer";

/// The output of a command that must succeed.
std::string output_of(const std::vector<std::string>& command) {
  const CommandResult result = run_command(command);
  EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(command) << '\n' << result.out << result.err;
  return result.out;
}

/// An empty folder of the build.
fs::path fresh_folder(const std::string& name) {
  fs::path folder = fs::path{VYRE_BUILD_DIR} / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// `vyre::report::to_json` of `vyre::report::to_json[abi:cxx11](vyre::report::RunReport const&)`.
std::string qualified_name(const std::string& symbol) { return symbol.substr(0, symbol.find_first_of("([")); }

/// Whether headers declare a function: what belongs to a namespace begins its line, what belongs to a class does not.
bool is_declared(const std::string& headers, const std::string& function, bool is_member) {
  for (const std::string& line : lines_of(headers)) {
    if (line.starts_with(' ') == is_member && line.contains(function + "(")) return true;
  }
  return false;
}

/// The symbols that a program can link with, without their parameters.
std::set<std::string> exported_names() {
  std::set<std::string> names;
  for (const std::string& line : lines_of(output_of({"nm", "-D", "--defined-only", "-C", kLibraries / "libvyre.so"}))) {
    std::string symbol = line.substr(line.find(' ') + 3);
    if (const std::size_t version = symbol.find("@@"); version != std::string::npos) symbol.resize(version);
    names.insert(qualified_name(symbol));
  }
  return names;
}

/// The headers of a folder of the installed copy, without comments.
std::string installed_headers(const std::string& folder) {
  std::string text;
  if (!fs::is_directory(kInstalled / "include" / folder)) return text;
  for (const auto& entry : fs::recursive_directory_iterator{kInstalled / "include" / folder}) {
    if (!entry.is_regular_file()) continue;
    for (const std::string& line : lines_of(read_file(entry.path()))) text += line.substr(0, line.find("//")) + '\n';
  }
  return text;
}

TEST(Install, TheSharedLibraryIsVersioned) {
  const std::string name = "libvyre.so." VYRE_SOVERSION;
  EXPECT_EQ(fs::read_symlink(kLibraries / "libvyre.so"), name);
  EXPECT_EQ(fs::read_symlink(kLibraries / name), "libvyre.so." VYRE_VERSION);
  EXPECT_THAT(output_of({"readelf", "-d", kLibraries / "libvyre.so"}), HasSubstr("soname: [" + name + "]"));
}

TEST(Install, TheSharedLibraryShowsOnlyThePublicFunctions) {
  static const std::regex kOurs{"^(typeinfo for |typeinfo name for |vtable for )?vyre::.*|VYRE_[0-9.]+"};
  static const std::regex kInternal{
      "vyre::plan::|vyre::program::spirv::|vyre::backends::[a-z]+::|::State::|::detail::"};
  const std::set<std::string> names = exported_names();
  for (const std::string& name : names) {
    EXPECT_TRUE(std::regex_match(name, kOurs)) << name;
    EXPECT_FALSE(std::regex_search(name, kInternal)) << name;
  }
  for (const char* name :
       {"vyre::backends::all", "vyre::runtime::Session::finish", "vyre::runtime::System::open",
        "vyre::program::Program::from_glsl", "vyre::backend::Device::open", "vyre::backend::Registry::add",
        "vyre::backend::make_checking_driver", "vyre::report::to_text", "typeinfo for vyre::backend::DeviceDriver"}) {
    EXPECT_THAT(names, Contains(name));
  }
}

// What the headers declare and the sources define can be linked: cmake/vyre.map.in has it.
TEST(Install, TheSharedLibraryHasWhatTheHeadersDeclare) {
  const std::set<std::string> exported = exported_names();
  static const std::regex kFunction{"^vyre::([a-z_]+)::(?:([A-Za-z_:]+)::)?(~?[A-Za-z_]+|operator[^a-z]*)$"};
  int declared = 0;
  for (const auto& entry : fs::recursive_directory_iterator{VYRE_BUILD_DIR}) {
    const std::string archive = entry.path().filename();
    if (!archive.starts_with("libvyre_") || !archive.ends_with(".a")) continue;
    std::set<std::string> defined;
    for (const std::string& line : lines_of(output_of({"nm", "--defined-only", "-C", entry.path()}))) {
      if (const std::size_t at = line.find(" T "); at != std::string::npos) {
        defined.insert(qualified_name(line.substr(at + 3)));
      }
    }
    for (const std::string& name : defined) {
      std::smatch parts;
      if (!std::regex_match(name, parts, kFunction)) continue;
      const std::string headers = installed_headers("vyre/" + parts[1].str());
      // A member of what the headers have, and of what that is within.
      static const std::regex kWord{"[A-Za-z_]+"};
      const std::string scope = parts[2];
      const bool is_known =
          std::all_of(std::sregex_iterator{scope.begin(), scope.end(), kWord}, {}, [&](const auto& each) {
            return std::regex_search(headers, std::regex{"(class|struct) " + each.str() + "[^;(]*\\{"});
          });
      if (!is_known) continue;
      if (!is_declared(headers, parts[3].str(), parts[2].matched)) continue;
      ++declared;
      EXPECT_THAT(exported, Contains(name)) << archive;
    }
  }
  EXPECT_GT(declared, 50);
}

TEST(Install, TheHeadersNeedNothingElse) {
  const fs::path folder = fresh_folder("installed_headers");
  std::ofstream source{folder / "all.cpp"};
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator{kInstalled / "include"}) {
    if (!entry.is_regular_file()) continue;
    source << "#include <" << fs::relative(entry.path(), kInstalled / "include").string() << ">\n";
    ++count;
  }
  source.close();
  EXPECT_GT(count, 30);
  // What other projects warn of.
  output_of({VYRE_COMPILER, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
             "-Werror", "-I", kInstalled / "include", folder / "all.cpp"});
}

TEST(Install, AProjectFindsThePackage) {
  const std::string folder = fresh_folder("consumer");
  output_of({VYRE_CMAKE, "-G", "Ninja", "-S", kConsumer, "-B", folder, "-DCMAKE_PREFIX_PATH=" + kInstalled.string(),
             "-DCMAKE_CXX_COMPILER=" + std::string{VYRE_COMPILER}, "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"});
  output_of({VYRE_CMAKE, "--build", folder});
  EXPECT_THAT(output_of({folder + "/consumer"}), HasSubstr("10,000 squares are right"));
  EXPECT_EQ(output_of({folder + "/consumer_policy"}), "record-and-replay:2460\n");
  EXPECT_THAT(output_of({"readelf", "-d", folder + "/consumer"}), HasSubstr("[libvyre.so." VYRE_SOVERSION "]"));
  EXPECT_THAT(output_of({"readelf", "-d", folder + "/consumer_policy"}), testing::Not(HasSubstr("vyre")));
}

TEST(Install, AnotherVersionIsRefused) {
  const fs::path folder = fresh_folder("another_version");
  std::ofstream{folder / "CMakeLists.txt"} << "cmake_minimum_required(VERSION 3.25)\nproject(another NONE)\n"
                                              "find_package(vyre 0.9 REQUIRED)\n";
  const CommandResult result = run_command(
      {VYRE_CMAKE, "-G", "Ninja", "-S", folder, "-B", folder / "build", "-DCMAKE_PREFIX_PATH=" + kInstalled.string()});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("version: " VYRE_VERSION));
}

TEST(Install, ALineOfPkgConfigBuilds) {
  const fs::path folder = fresh_folder("pkg_config");
  fs::copy(kConsumer, folder, fs::copy_options::recursive);
  const std::string libraries = kLibraries;
  const std::string out = output_of({"env", "-C", folder, "PKG_CONFIG_PATH=" + libraries + "/pkgconfig",
                                     "LD_LIBRARY_PATH=" + libraries, "./build.sh"});
  EXPECT_THAT(out, HasSubstr("10,000 squares are right"));
  EXPECT_EQ(output_of({"env", "PKG_CONFIG_PATH=" + libraries + "/pkgconfig", "pkg-config", "--modversion", "vyre"}),
            VYRE_VERSION "\n");
}

TEST(Install, TheDecisionsNeedOnlyAnIncludePath) {
  const fs::path folder = fresh_folder("policy_alone");
  fs::create_directories(folder / "vyre");
  fs::copy(kInstalled / "include/vyre/policy", folder / "vyre/policy", fs::copy_options::recursive);
  fs::copy(kInstalled / "include/vyre/base", folder / "vyre/base", fs::copy_options::recursive);
  const std::string program = folder / "policy";
  output_of({VYRE_COMPILER, "-std=c++23", "-I", folder, kConsumer / "policy.cpp", "-o", program});
  EXPECT_EQ(output_of({program}), "record-and-replay:2460\n");
}

TEST(Install, TheCommandLineRunsFromThere) {
  const std::string vyre = kInstalled / "bin/vyre";
  EXPECT_THAT(output_of({vyre, "--version"}), HasSubstr(VYRE_VERSION));
  EXPECT_THAT(output_of({"env", "-C", "/", vyre, "devices"}), HasSubstr("vulkan"));
}

// Where a copy is moved to, it works: nothing in it names the folder that it was installed to.
TEST(Install, ACopyCanBeMoved) {
  const fs::path moved = fresh_folder("installed_elsewhere") / "vyre";
  fs::copy(kInstalled, moved, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const std::string pkg_config = moved / VYRE_INSTALL_LIBDIR / "pkgconfig";
  EXPECT_THAT(output_of({"env", "PKG_CONFIG_PATH=" + pkg_config, "pkg-config", "--cflags", "vyre"}),
              HasSubstr("installed_elsewhere"));
  for (const auto& entry : fs::recursive_directory_iterator{moved}) {
    const std::string path = entry.path();
    if (path.ends_with(".cmake") || path.ends_with(".pc")) {
      EXPECT_THAT(read_file(path), testing::Not(HasSubstr(kInstalled.string()))) << path;
    }
  }
}

}  // namespace
}  // namespace vyre::tests
