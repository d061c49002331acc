#include "cli/job/output_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::cli::job {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() { fs::create_directories(folder_); }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  static std::string contents(const fs::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{});
  }

  fs::path folder_ = fs::path{testing::TempDir()} /
                     (std::string{"vyre_"} + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(OutputFileTest, IsNotThereUntilItIsCommitted) {
  const fs::path path = folder_ / "new" / "folder" / "out";
  {
    OutputFile file = OutputFile::create(path, 5).value();
    ASSERT_TRUE(file.write("hello").has_value());
    ASSERT_TRUE(file.sync().has_value());
    EXPECT_FALSE(fs::exists(path));
    ASSERT_TRUE(file.commit().has_value());
    EXPECT_EQ(contents(path), "hello");
  }
  EXPECT_EQ(contents(path), "hello");
  EXPECT_EQ(fs::file_size(path), 5U);
}

TEST_F(OutputFileTest, HasANameAsLongAsThereAre) {
  constexpr std::size_t kLongest = 255;
  OutputFile file = OutputFile::create(folder_ / std::string(kLongest, 'n'), 0).value();
  ASSERT_TRUE(file.commit().has_value());
  EXPECT_TRUE(fs::exists(folder_ / std::string(kLongest, 'n')));
  const auto refused = OutputFile::create(folder_ / std::string(kLongest + 1, 'n'), 0);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("File name too long"));
}

TEST_F(OutputFileTest, LeavesNothingAndLosesNothingWithoutACommit) {
  const fs::path path = folder_ / "out";
  std::ofstream{path} << "old";
  {
    OutputFile file = OutputFile::create(path, 1'000).value();
    ASSERT_TRUE(file.write("new").has_value());
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, ReplacesAFileAndKeepsItsPermissions) {
  const fs::path path = folder_ / "out";
  std::ofstream{path} << "something longer";
  fs::permissions(path, fs::perms{0640});
  OutputFile file = OutputFile::create(path, 3).value();
  ASSERT_TRUE(file.write("new").has_value());
  ASSERT_TRUE(file.commit().has_value());
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0640});
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, WritesThroughALink) {
  std::ofstream{folder_ / "real"} << "old";
  fs::create_symlink("real", folder_ / "link");
  OutputFile file = OutputFile::create(folder_ / "link", 3).value();
  ASSERT_TRUE(file.write("new").has_value());
  ASSERT_TRUE(file.commit().has_value());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "real"), "new");
}

TEST_F(OutputFileTest, SaysWhatItCannotWrite) {
  EXPECT_THAT(OutputFile::create(folder_, 0).error().message, HasSubstr("is a folder, a file is to be written"));
  std::ofstream{folder_ / "file"} << "x";
  const auto under_file = OutputFile::create(folder_ / "file" / "out", 0);
  EXPECT_EQ(under_file.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(under_file.error().message, HasSubstr("Not a directory"));
  OutputFile full = OutputFile::create("/dev/full", 10).value();
  const auto written = full.write("hello");
  EXPECT_EQ(written.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(written.error().message, HasSubstr("cannot write '/dev/full': No space left on device"));
}

}  // namespace
}  // namespace vyre::cli::job
