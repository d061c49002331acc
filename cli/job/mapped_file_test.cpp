#include "cli/job/mapped_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::cli::job {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(MappedFile, ShowsTheBytesAlsoAfterForgettingThem) {
  const fs::path path = fs::path{testing::TempDir()} / "vyre_mapped";
  std::ofstream{path} << std::string(10'000, 'x') << "end";
  const MappedFile file = MappedFile::open(path).value();
  ASSERT_EQ(file.bytes().size(), 10'003U);
  file.forget(0, 10'003);
  file.forget(9'999, 4);
  file.forget(0, 0);
  EXPECT_EQ(std::to_integer<char>(file.bytes()[0]), 'x');
  EXPECT_EQ(std::to_integer<char>(file.bytes()[10'002]), 'd');
}

TEST(MappedFile, TakesFilesOnly) {
  const fs::path folder = testing::TempDir();
  EXPECT_THAT(MappedFile::open(folder).error().message, HasSubstr("is a folder, a file is expected"));
  EXPECT_THAT(MappedFile::open("/dev/zero").error().message, HasSubstr("is a device or a pipe, a file is expected"));
  EXPECT_THAT(MappedFile::open(folder / "vyre_none").error().message, HasSubstr("No such file or directory"));
  const fs::path pipe = folder / "vyre_pipe";
  fs::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(MappedFile::open(pipe).error().message, HasSubstr("a device or a pipe"));
  fs::remove(pipe);
  const fs::path empty = folder / "vyre_empty";
  std::ofstream{empty} << "";
  EXPECT_TRUE(MappedFile::open(empty).value().bytes().empty());
}

TEST(MappedFileDeathTest, AFileThatShrinksIsSaid) {
  const fs::path path = fs::path{testing::TempDir()} / "vyre_shrinks";
  std::ofstream{path} << std::string(100'000, 'x');
  const auto read_behind_the_end = [&] {
    say_if_files_shrink();
    const MappedFile file = MappedFile::open(path).value();
    fs::resize_file(path, 0);
    file.forget(0, 100'000);
    volatile auto byte = std::to_integer<char>(file.bytes()[50'000]);
    static_cast<void>(byte);
  };
  EXPECT_EXIT(read_behind_the_end(), testing::ExitedWithCode(4), "a file became shorter while it was read");
}

}  // namespace
}  // namespace vyre::cli::job
