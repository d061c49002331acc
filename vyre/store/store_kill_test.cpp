#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <vyre/store/database.hpp>
#include <vyre/store/store.hpp>

#include "tests/support/temporary_folder.hpp"

// Processes that share a store are killed at random moments: what one of them knew to be on disk is there afterwards.

namespace vyre::store {
namespace {

namespace fs = std::filesystem;

constexpr int kProcesses = 4;
constexpr std::uint64_t kKeys = 16;

/// What processes told before they were killed, in memory that they share with the test.
struct Told {
  std::array<std::atomic<std::uint64_t>, kProcesses> on_disk = {};
  std::atomic<std::uint64_t> problems = 0;
};

std::vector<std::byte> value_of(std::uint64_t number) {
  std::vector<std::byte> value(64 + number % 5'000, static_cast<std::byte>(number));
  std::memcpy(value.data(), &number, sizeof number);
  return value;
}

EntryName name_of(int process, std::uint64_t number) {
  return {.kind = "count", .scope = std::to_string(process), .key = std::to_string(number % kKeys)};
}

[[noreturn]] void count(const fs::path& folder, int process, Told& told) {
  const auto store = Store::open({.folder = folder, .on_problem = [&](const Error& error) {
                                    std::fprintf(stderr, "%s\n", to_string(error).c_str());
                                    ++told.problems;
                                  }});
  for (std::uint64_t number = told.on_disk[static_cast<std::size_t>(process)] + 1;; ++number) {
    store->put(name_of(process, number), 1, value_of(number));
    if (store->flush()) told.on_disk[static_cast<std::size_t>(process)] = number;
  }
}

TEST(StoreKills, NothingIsLostThatWasOnDisk) {
  const char* const asked = std::getenv("VYRE_STORE_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 40;
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "vyre";
  void* const shared = mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Told& told = *new (shared) Told;
  std::array<pid_t, kProcesses> running = {};
  const auto start = [&](int process) {
    running[static_cast<std::size_t>(process)] = fork();
    if (running[static_cast<std::size_t>(process)] == 0) count(folder, process, told);
  };
  for (int process = 0; process < kProcesses; ++process) start(process);
  std::mt19937 random{28};  // NOLINT: the same moments each time, as far as the machine allows.
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 12'000});
    const int process = static_cast<int>(random() % kProcesses);
    kill(running[static_cast<std::size_t>(process)], SIGKILL);
    waitpid(running[static_cast<std::size_t>(process)], nullptr, 0);
    start(process);
  }
  // Until each has written something.
  for (int i = 0; i < 3'000; ++i) {
    if (std::ranges::all_of(told.on_disk, [](const auto& number) { return number > 0; })) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  for (const pid_t each : running) kill(each, SIGKILL);
  for (const pid_t each : running) waitpid(each, nullptr, 0);

  EXPECT_EQ(told.problems, 0U);
  EXPECT_FALSE(fs::exists(folder / "store.sqlite.damaged"));
  {
    auto database = Database::open(folder / "store.sqlite", Database::Access::Write);
    ASSERT_TRUE(database);
    auto check = Statement::prepare(*database, "PRAGMA integrity_check");
    ASSERT_TRUE(check && check->step());
    EXPECT_EQ(check->text(0), "ok");
  }
  const auto store = Store::open({.folder = folder});
  for (int process = 0; process < kProcesses; ++process) {
    const std::uint64_t last = told.on_disk[static_cast<std::size_t>(process)];
    EXPECT_GT(last, 0U) << "process " << process;
    for (std::uint64_t number = last; number > 0 && number + kKeys > last; --number) {
      const auto entry = store->find(name_of(process, number), 1);
      ASSERT_TRUE(entry) << number << " of process " << process;
      std::uint64_t found = 0;
      std::memcpy(&found, entry->value.data(), sizeof found);
      // A killed process may have written one more than it told.
      EXPECT_TRUE(found == number || found == last + 1) << found << " in the place of " << number;
      EXPECT_EQ(entry->value, value_of(found));
    }
  }
  munmap(shared, sizeof(Told));
}

}  // namespace
}  // namespace vyre::store
