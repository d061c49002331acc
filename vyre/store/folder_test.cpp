#include <vyre/store/folder.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace vyre::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

mode_t mode_of(const fs::path& path) {
  struct stat found{};
  EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 0777U;
}

/// A variable of the environment, until the end of the test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_{name} {
    if (const char* old = std::getenv(name)) old_ = old;
    if (value != nullptr) {
      setenv(name, value, 1);
    } else {
      unsetenv(name);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (old_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, old_.c_str(), 1);
    }
  }

 private:
  const char* name_;
  std::string old_;
};

TEST(Folder, TheCachesAreWhereTheEnvironmentSays) {
  const Variable home{"HOME", "/home/somebody"};
  {
    const Variable cache{"XDG_CACHE_HOME", "/somewhere/else"};
    EXPECT_EQ(*user_cache_folder(), "/somewhere/else");
  }
  for (const char* value : {"not/a/full/path", "", static_cast<const char*>(nullptr)}) {
    const Variable cache{"XDG_CACHE_HOME", value};
    EXPECT_EQ(*user_cache_folder(), "/home/somebody/.cache");
  }
  const Variable cache{"XDG_CACHE_HOME", nullptr};
  const Variable no_home{"HOME", nullptr};
  EXPECT_EQ(user_cache_folder().error().code, ErrorCode::Unavailable);
}

TEST(Folder, OnlyTheUserCanEnterWhatIsMade) {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "a" / "b";
  const mode_t mask = umask(0);
  EXPECT_TRUE(make_private_folder(folder));
  EXPECT_TRUE(make_private_file(folder / "file"));
  umask(mask);
  EXPECT_EQ(mode_of(folder), 0700U);
  EXPECT_EQ(mode_of(folder / "file"), 0600U);
  EXPECT_TRUE(make_private_folder(folder)) << "it is there";
  EXPECT_TRUE(make_private_file(folder / "file")) << "it is there";
}

TEST(Folder, WhatOthersCanWriteIsRefused) {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "file";
  ASSERT_TRUE(make_private_file(file));
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    chmod(file.c_str(), mode);
    EXPECT_THAT(make_private_file(file).error().message, HasSubstr("others can write")) << mode;
  }
  chmod(file.c_str(), 0644);
  EXPECT_TRUE(make_private_file(file)) << "others can read it";
  chmod(temporary.path().c_str(), 0770);
  EXPECT_THAT(make_private_folder(temporary.path()).error().message, HasSubstr("its mode is 770"));
}

TEST(Folder, WhatBelongsToOthersIsRefused) {
  if (geteuid() == 0) {
    const TemporaryFolder temporary;
    ASSERT_EQ(chown(temporary.path().c_str(), 12'345, 12'345), 0);
    EXPECT_THAT(make_private_folder(temporary.path()).error().message, HasSubstr("belongs to user 12345"));
  } else {
    EXPECT_THAT(make_private_folder("/usr").error().message, HasSubstr("belongs to user 0"));
  }
}

TEST(Folder, LinksAndOtherKindsAreRefused) {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "file";
  ASSERT_TRUE(make_private_file(file));
  fs::create_symlink(file, temporary.path() / "link");
  fs::create_symlink(temporary.path() / "nowhere", temporary.path() / "dangling");
  EXPECT_THAT(make_private_file(temporary.path() / "link").error().message, HasSubstr("is no file"));
  EXPECT_THAT(make_private_file(temporary.path() / "dangling").error().message, HasSubstr("is no file"));
  EXPECT_THAT(make_private_file(temporary.path()).error().message, HasSubstr("is no file"));
  EXPECT_THAT(make_private_folder(file).error().message, HasSubstr("is no folder"));
  EXPECT_THAT(make_private_folder(file / "below").error().message, HasSubstr("cannot make"));
}

TEST(Folder, ALockIsHeldByOne) {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "lock";
  {
    const FileLock first{file};
    EXPECT_TRUE(first.is_held());
    const FileLock second{file};
    EXPECT_FALSE(second.is_held());
  }
  EXPECT_TRUE(FileLock{file}.is_held());
  EXPECT_FALSE(FileLock{temporary.path() / "none" / "lock"}.is_held());
}

}  // namespace
}  // namespace vyre::store
