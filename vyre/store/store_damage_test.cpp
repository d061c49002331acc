#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/store/store.hpp>

#include "tests/support/temporary_folder.hpp"

// A store that is damaged in any way gives what was put, or nothing, says so in one line at most, and can be used
// again.

namespace vyre::store {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream{file, std::ios::binary | std::ios::trunc}.write(bytes.data(),
                                                                static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> value_of(const std::string& key) {
  return std::vector<std::byte>(40 + key.size(), static_cast<std::byte>(key[0]));
}

const std::vector<std::string> kKeys{"a", "bb", "ccc"};

class StoreDamage : public testing::Test {
 protected:
  StoreDamage() {
    const auto store = Store::open({.folder = folder()});
    for (const std::string& key : kKeys) store->put({.kind = "kind", .scope = "scope", .key = key}, 1, value_of(key));
  }

  [[nodiscard]] fs::path folder() const { return temporary_.path() / "vyre"; }
  [[nodiscard]] fs::path file() const { return folder() / "store.sqlite"; }

  /// Puts other bytes into the place of the store, and uses it. Gives how many entries were found.
  int use(const std::string& bytes, const std::string& log = {}) {
    for (const auto& entry : fs::directory_iterator{folder()}) fs::remove(entry.path());
    write(file(), bytes);
    if (!log.empty()) write(file() += "-wal", log);
    fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
    int said = 0;
    int found = 0;
    {
      const auto store = Store::open({.folder = folder(), .on_problem = [&](const Error&) { ++said; }});
      for (const std::string& key : kKeys) {
        const auto entry = store->find({.kind = "kind", .scope = "scope", .key = key}, 1);
        if (!entry) continue;
        ++found;
        EXPECT_EQ(entry->value, value_of(key));
      }
      for (const Entry& entry : store->find_all("kind", "scope", 1)) EXPECT_EQ(entry.value, value_of(entry.name.key));
      (void)store->entries();
      store->put({.kind = "kind", .scope = "scope", .key = "new"}, 1, value_of("new"));
      (void)store->flush();
      const auto entry = store->find({.kind = "kind", .scope = "scope", .key = "new"}, 1);
      if (entry) {
        EXPECT_EQ(entry->value, value_of("new"));
      }
    }
    EXPECT_LE(said, 1);
    if (said == 0 && found < 3) ++silent_;
    return found;
  }

  /// Entries that were not found, and nothing was said: SQLite searches names, so that a damaged one may hide others.
  int silent_ = 0;

 private:
  TemporaryFolder temporary_;
};

TEST_F(StoreDamage, AnyByteMayBeAnother) {
  const std::string bytes = read(file());
  ASSERT_GT(bytes.size(), 4'096U);
  ASSERT_EQ(use(bytes), 3);
  // All of them take minutes where the disk is slow.
  const std::size_t step = std::getenv("VYRE_STORE_EVERY_BYTE") != nullptr ? 1 : 41;
  int damaged = 0;
  for (std::size_t i = 0; i < bytes.size(); i += i < 100 ? 1 : step) {
    SCOPED_TRACE(i);
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    damaged += use(changed) < 3 ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(damaged, 20);
  EXPECT_LT(silent_, damaged / 4);
}

TEST_F(StoreDamage, TheFileMayEndAnywhere) {
  const std::string bytes = read(file());
  for (std::size_t size = 0; size < bytes.size(); size += 512) {
    for (const std::size_t odd : {0U, 1U, 99U}) {
      SCOPED_TRACE(size + odd);
      use(bytes.substr(0, size + odd));
      if (HasFailure()) return;
    }
  }
}

TEST_F(StoreDamage, AnyByteOfTheLogMayBeAnother) {
  const auto store = Store::open({.folder = folder()});
  store->put({.kind = "kind", .scope = "scope", .key = kKeys[0]}, 1, value_of(kKeys[0]));
  ASSERT_TRUE(store->flush());
  const std::string bytes = read(file());
  const std::string log = read(file() += "-wal");
  ASSERT_GT(log.size(), 4'096U);
  for (std::size_t i = 0; i < log.size(); i += i < 100 ? 7 : 409) {
    SCOPED_TRACE(i);
    std::string changed = log;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    use(bytes, changed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace vyre::store
