#include <vyre/store/store.hpp>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/store/database.hpp>

#include "tests/support/temporary_folder.hpp"

namespace vyre::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

std::string text_of(const std::optional<Entry>& entry) {
  if (!entry) return "(nothing)";
  return {reinterpret_cast<const char*>(entry->value.data()), entry->value.size()};
}

EntryName named(std::string key, std::string kind = "kind", std::string scope = "") {
  return {.kind = std::move(kind), .scope = std::move(scope), .key = std::move(key)};
}

class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] StoreOptions options() {
    return {.folder = folder(),
            .on_problem =
                [this](const Error& error) {
                  const std::scoped_lock lock{mutex_};
                  said_.push_back(error);
                },
            .now_s = [this] { return now_s_.load(); }};
  }
  [[nodiscard]] std::shared_ptr<Store> open() { return Store::open(options()); }
  [[nodiscard]] fs::path folder() const { return temporary_.path() / "vyre"; }
  [[nodiscard]] fs::path file() const { return folder() / "store.sqlite"; }
  [[nodiscard]] std::vector<Error> said() {
    const std::scoped_lock lock{mutex_};
    return said_;
  }

  TemporaryFolder temporary_;
  std::atomic<std::int64_t> now_s_ = 1'000'000;

 private:
  std::mutex mutex_;
  std::vector<Error> said_;
};

TEST_F(StoreTest, GivesBackWhatWasPut) {
  const auto store = open();
  EXPECT_TRUE(store->is_open());
  EXPECT_EQ(store->path(), file());
  EXPECT_EQ(store->find(named("a"), 1), std::nullopt);
  store->put(named("a"), 1, bytes_of("first"));
  EXPECT_EQ(text_of(store->find(named("a"), 1)), "first") << "not on disk yet";
  EXPECT_TRUE(store->flush());
  EXPECT_EQ(text_of(store->find(named("a"), 1)), "first") << "on disk";
  now_s_ += 5;
  store->put(named("a"), 1, bytes_of("second"));
  EXPECT_TRUE(store->flush());
  const auto found = store->find(named("a"), 1);
  EXPECT_EQ(text_of(found), "second");
  EXPECT_EQ(found->written_s, 1'000'005);
  EXPECT_THAT(said(), SizeIs(0));
}

TEST_F(StoreTest, GivesBackWhatAnEarlierProcessPut) {
  open()->put(named("a", "spirv", "here"), 3, bytes_of(""));
  open()->put(named("b", "spirv", "here"), 3, bytes_of(std::string(100'000, 'x')));
  const auto store = open();
  EXPECT_EQ(text_of(store->find(named("a", "spirv", "here"), 3)), "");
  EXPECT_EQ(text_of(store->find(named("b", "spirv", "here"), 3)), std::string(100'000, 'x'));
  EXPECT_EQ(store->find(named("a", "spirv", "there"), 3), std::nullopt);
  EXPECT_EQ(store->find(named("a", "shape", "here"), 3), std::nullopt);
}

TEST_F(StoreTest, AnotherVersionOfAnEncodingIsNotThere) {
  const auto store = open();
  store->put(named("a"), 1, bytes_of("old"));
  EXPECT_EQ(store->find(named("a"), 2), std::nullopt);
  EXPECT_TRUE(store->flush());
  EXPECT_EQ(store->find(named("a"), 2), std::nullopt);
  store->put(named("a"), 2, bytes_of("new"));
  EXPECT_TRUE(store->flush());
  EXPECT_EQ(store->find(named("a"), 1), std::nullopt);
  EXPECT_EQ(text_of(store->find(named("a"), 2)), "new");
}

TEST_F(StoreTest, FindsAllOfAKindAndScope) {
  const auto store = open();
  store->put(named("a", "shape", "here"), 1, bytes_of("1"));
  store->put(named("b", "shape", "here"), 1, bytes_of("2"));
  store->put(named("c", "shape", "there"), 1, bytes_of("3"));
  store->put(named("d", "shape", "here"), 2, bytes_of("4"));
  EXPECT_TRUE(store->flush());
  store->put(named("e", "shape", "here"), 1, bytes_of("5"));
  store->erase(named("b", "shape", "here"));
  const auto names = [&] {
    std::string keys;
    for (const Entry& entry : store->find_all("shape", "here", 1)) keys += entry.name.key;
    return keys;
  };
  EXPECT_EQ(names(), "ae") << "some of it not on disk yet";
  EXPECT_TRUE(store->flush());
  EXPECT_EQ(names(), "ae");
}

TEST_F(StoreTest, WhatIsErasedIsGone) {
  const auto store = open();
  store->put(named("a"), 1, bytes_of("x"));
  EXPECT_TRUE(store->flush());
  store->erase(named("a"));
  EXPECT_EQ(store->find(named("a"), 1), std::nullopt);
  EXPECT_TRUE(store->flush());
  EXPECT_EQ(store->find(named("a"), 1), std::nullopt);
}

TEST_F(StoreTest, ListsAndClears) {
  const auto store = open();
  store->put(named("a"), 7, bytes_of("x"));
  store->put(named("b", "other"), 1, bytes_of(std::string(1'000, 'x')));
  const std::vector<EntryInfo> entries = store->entries();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].name, named("a"));
  EXPECT_EQ(entries[0].version, 7U);
  EXPECT_EQ(entries[0].written_s, 1'000'000);
  EXPECT_GT(entries[1].bytes, 1'000U);
  EXPECT_TRUE(store->clear());
  EXPECT_THAT(store->entries(), SizeIs(0));
  EXPECT_EQ(store->find(named("a"), 7), std::nullopt);
}

TEST_F(StoreTest, ForgetsWhatWasNotUsedForTheLongestTime) {
  StoreOptions small = options();
  small.max_bytes = 20'000;
  const auto store = Store::open(small);
  for (int i = 0; i < 10; ++i) {
    now_s_ += 10'000;
    store->put(named(std::to_string(i)), 1, bytes_of(std::string(1'500, 'x')));
    EXPECT_TRUE(store->flush());
  }
  now_s_ += 10'000;
  EXPECT_NE(store->find(named("0"), 1), std::nullopt) << "and is used";
  for (int i = 10; i < 20; ++i) {
    now_s_ += 10'000;
    store->put(named(std::to_string(i)), 1, bytes_of(std::string(1'500, 'x')));
    EXPECT_TRUE(store->flush());
  }
  std::uint64_t bytes = 0;
  for (const EntryInfo& entry : store->entries()) bytes += entry.bytes;
  EXPECT_LE(bytes, 20'000U);
  EXPECT_GE(bytes, 12'000U);
  EXPECT_NE(store->find(named("19"), 1), std::nullopt);
  EXPECT_NE(store->find(named("0"), 1), std::nullopt);
  EXPECT_EQ(store->find(named("1"), 1), std::nullopt);
  store->put(named("large"), 1, bytes_of(std::string(5'001, 'x')));
  EXPECT_EQ(store->find(named("large"), 1), std::nullopt) << "it would drive out too much";
}

TEST_F(StoreTest, TwoStoresSeeWhatTheOtherPut) {
  const auto one = open();
  const auto other = open();
  one->put(named("a"), 1, bytes_of("from one"));
  EXPECT_TRUE(one->flush());
  EXPECT_EQ(text_of(other->find(named("a"), 1)), "from one");
  other->put(named("a"), 1, bytes_of("from the other"));
  EXPECT_TRUE(other->flush());
  EXPECT_EQ(text_of(one->find(named("a"), 1)), "from the other");
  EXPECT_TRUE(one->clear());
  EXPECT_EQ(other->find(named("a"), 1), std::nullopt);
  EXPECT_THAT(said(), SizeIs(0));
}

TEST_F(StoreTest, ThreadsMayUseOneStore) {
  const auto store = open();
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        const EntryName name = named(std::to_string(thread) + "/" + std::to_string(i % 10));
        store->put(name, 1, bytes_of(std::to_string(i)));
        EXPECT_EQ(text_of(store->find(name, 1)), std::to_string(i));
        EXPECT_TRUE(i % 20 != 0 || store->flush());
        if (i % 17 == 0) (void)store->find_all("kind", "", 1);
      }
    });
  }
  threads.clear();
  EXPECT_THAT(store->entries(), SizeIs(40));
}

TEST_F(StoreTest, OnlyTheUserCanReadTheFiles) {
  const mode_t mask = umask(0);
  const auto store = open();
  store->put(named("a"), 1, bytes_of("x"));
  EXPECT_TRUE(store->flush());
  umask(mask);
  for (const auto& entry : fs::directory_iterator{folder()}) {
    struct stat found{};
    ASSERT_EQ(stat(entry.path().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U) << entry.path();
  }
}

TEST_F(StoreTest, AFileThatOthersCanWriteIsNotOpened) {
  open()->put(named("a"), 1, bytes_of("x"));
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::add);
  const auto store = open();
  EXPECT_FALSE(store->is_open());
  EXPECT_EQ(store->find(named("a"), 1), std::nullopt);
  store->put(named("b"), 1, bytes_of("x"));
  EXPECT_EQ(store->find(named("b"), 1), std::nullopt);
  EXPECT_FALSE(store->flush());
  EXPECT_EQ(store->clear().error().code, ErrorCode::Unavailable);
  ASSERT_THAT(said(), SizeIs(1));
  EXPECT_THAT(said()[0].message, HasSubstr("others can write"));
  EXPECT_EQ(store->problem(), said()[0]);
}

TEST_F(StoreTest, AStoreThatMayNotWriteMakesNothing) {
  StoreOptions reading = options();
  reading.may_write = false;
  {
    const auto none = Store::open(reading);
    EXPECT_FALSE(none->is_open());
    EXPECT_EQ(none->path(), file());
    EXPECT_FALSE(fs::exists(folder()));
  }
  open()->put(named("a"), 1, bytes_of("x"));
  const auto store = Store::open(reading);
  EXPECT_EQ(text_of(store->find(named("a"), 1)), "x");
  EXPECT_FALSE(store->can_write());
  store->put(named("b"), 1, bytes_of("x"));
  EXPECT_EQ(store->find(named("b"), 1), std::nullopt);
  EXPECT_THAT(said(), SizeIs(0));
}

/// Another user than root, to whom permissions apply; until the end of the test.
class PlainUser {
 public:
  PlainUser() { EXPECT_TRUE(!is_root_ || seteuid(kNobody) == 0); }
  PlainUser(const PlainUser&) = delete;
  PlainUser& operator=(const PlainUser&) = delete;
  ~PlainUser() { EXPECT_TRUE(!is_root_ || seteuid(0) == 0); }

 private:
  static constexpr uid_t kNobody = 65'534;
  bool is_root_ = geteuid() == 0;
};

TEST_F(StoreTest, AFolderThatCannotBeWrittenIsReadAndSaidOnce) {
  fs::permissions(temporary_.path(), fs::perms::all);
  const PlainUser user;
  open()->put(named("a"), 1, bytes_of("x"));
  fs::permissions(file(), fs::perms::owner_read);
  fs::permissions(folder(), fs::perms::owner_read | fs::perms::owner_exec);
  {
    const auto store = open();
    EXPECT_EQ(text_of(store->find(named("a"), 1)), "x");
    EXPECT_FALSE(store->can_write());
    store->put(named("b"), 1, bytes_of("x"));
    EXPECT_FALSE(store->flush());
    EXPECT_THAT(said(), SizeIs(1));
  }
  fs::permissions(folder(), fs::perms::owner_all);
}

TEST_F(StoreTest, AFolderThatCannotBeMadeIsSaid) {
  fs::permissions(temporary_.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const PlainUser user;
  const auto store = open();
  EXPECT_FALSE(store->is_open());
  ASSERT_THAT(said(), SizeIs(1));
  EXPECT_THAT(said()[0].message, HasSubstr("cannot make"));
}

TEST_F(StoreTest, AFullDiskIsSaidOnceAndTheStoreGoesOn) {
  const auto store = open();
  store->put(named("a"), 1, bytes_of("before"));
  ASSERT_TRUE(store->flush());
  // Files that must not grow stand for a disk that is full.
  auto* const ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit now{.rlim_cur = 64 << 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &now), 0);
  for (int i = 0; i < 3; ++i) {
    store->put(named("b"), 1, bytes_of(std::string(1 << 20, 'x')));
    EXPECT_FALSE(store->flush());
    EXPECT_EQ(store->find(named("b"), 1), std::nullopt);
    EXPECT_EQ(text_of(store->find(named("a"), 1)), "before");
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_THAT(said(), SizeIs(1));
  store->put(named("b"), 1, bytes_of("after"));
  EXPECT_TRUE(store->flush()) << "there is room again";
  EXPECT_EQ(text_of(store->find(named("b"), 1)), "after");
}

TEST_F(StoreTest, AFileOfANewerVyreIsLeftAlone) {
  open()->put(named("a"), 1, bytes_of("x"));
  {
    auto database = Database::open(file(), Database::Access::Write);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->run("PRAGMA user_version = 99"));
  }
  const auto store = open();
  EXPECT_FALSE(store->is_open());
  ASSERT_THAT(said(), SizeIs(1));
  EXPECT_THAT(said()[0].message, HasSubstr("a newer vyre: its format is 99, this one reads 1"));
  auto database = Database::open(file(), Database::Access::Write);
  EXPECT_EQ(*database->number("SELECT count(*) FROM entries"), 1);
}

TEST_F(StoreTest, AFileThatIsNoneOfOursIsSetAsideAndSaid) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::owner_all);
  std::ofstream{file()} << std::string(8'192, 'x');
  const auto store = open();
  EXPECT_TRUE(store->is_open());
  ASSERT_THAT(said(), SizeIs(1));
  EXPECT_EQ(said()[0].code, ErrorCode::Corrupt);
  EXPECT_EQ(fs::file_size(file() += ".damaged"), 8'192U);
  store->put(named("a"), 1, bytes_of("x"));
  EXPECT_TRUE(store->flush());
}

TEST_F(StoreTest, WhatIsSetAsideUnderAProcessThatUsesItHarmsNeither) {
  const auto old = open();
  old->put(named("a"), 1, bytes_of("old"));
  ASSERT_TRUE(old->flush());
  fs::rename(file(), file() += ".damaged");
  fs::rename(file() += "-wal", file() += ".damaged-wal");
  fs::remove(file() += "-shm");
  {
    const auto fresh = open();
    fresh->put(named("a"), 1, bytes_of("new"));
    ASSERT_TRUE(fresh->flush());
    old->put(named("b"), 1, bytes_of("old"));
    (void)old->flush();
    EXPECT_EQ(text_of(old->find(named("a"), 1)), "old");
    EXPECT_EQ(text_of(fresh->find(named("a"), 1)), "new");
  }
  EXPECT_EQ(text_of(open()->find(named("a"), 1)), "new");
}

}  // namespace
}  // namespace vyre::store
