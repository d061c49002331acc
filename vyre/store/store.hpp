#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>

namespace vyre::store {

/// Which entry of a store. An entry holds for its scope: a device on a host, for example, or everything if that is
/// empty.
struct EntryName {
  std::string kind = {};  ///< `calibration`, `shape`, `spirv`, …
  std::string scope = {};
  std::string key = {};  ///< Tells the entries of a kind and scope apart.

  friend auto operator<=>(const EntryName&, const EntryName&) = default;
};

/// An entry as it was put.
struct Entry {
  EntryName name = {};
  std::vector<std::byte> value = {};
  std::int64_t written_s = 0;  ///< When it was put, in seconds since 1970.

  friend bool operator==(const Entry&, const Entry&) = default;
};

/// What is known of an entry without its value.
struct EntryInfo {
  EntryName name = {};
  std::uint32_t version = 0;
  std::uint64_t bytes = 0;     ///< That the entry takes of the budget.
  std::int64_t written_s = 0;  ///< In seconds since 1970.
  std::int64_t used_s = 0;     ///< In seconds since 1970; to the hour.
};

struct StoreOptions {
  /// Where the store is; by default `vyre` in the user's folder for caches (`user_cache_folder`).
  std::filesystem::path folder = {};
  /// The bytes of all entries together. Beyond it, those that were not used for the longest time go.
  std::uint64_t max_bytes = std::uint64_t{64} << 20;
  /// If false, a store that is not there is not made, and one that is there is only read.
  bool may_write = true;
  /// Is told why something is not kept, or what was kept cannot be used: once in the life of a store, from any thread.
  /// It must not call the store.
  std::function<void(const Error&)> on_problem = {};
  /// Seconds since 1970; the system's clock by default.
  std::function<std::int64_t()> now_s = {};
};

/// What was learned, on disk: named bytes in one SQLite file, which several processes may use at once.
///
/// A store never makes a result wrong and never fails: what cannot be read is not there, and what cannot be written is
/// not kept. Each entry has a checksum. A file that is damaged is set aside under another name. Writing happens on a
/// thread of the store, so that `put` takes no longer than copying the bytes; all else may wait for the disk.
///
/// Thread safety: all members may be called concurrently. Not in a child of `fork`.
class Store {
 public:
  /// Opens the store, or makes it. Where that fails, the store is empty and keeps nothing; `problem` says why.
  [[nodiscard]] static std::shared_ptr<Store> open(StoreOptions options = {});
  /// Writes what was put, then closes the file.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The entry of that name, if it was put with this version of its encoding and is whole.
  [[nodiscard]] std::optional<Entry> find(const EntryName& name, std::uint32_t version);
  /// All such entries of a kind and scope, in no particular order.
  [[nodiscard]] std::vector<Entry> find_all(std::string_view kind, std::string_view scope, std::uint32_t version);
  /// Keeps a value, in the place of one of the same name. A value above a quarter of the budget is not kept.
  void put(EntryName name, std::uint32_t version, std::vector<std::byte> value);
  /// Forgets an entry.
  void erase(EntryName name);
  /// Waits until everything that was put before is on disk, where a kill of the process cannot reach it. False if it
  /// could not be written.
  bool flush();

  /// All entries that are on disk, by name.
  [[nodiscard]] std::vector<EntryInfo> entries();
  /// Forgets all entries and a damaged file that was set aside, and gives their room on disk back. `TimedOut` while
  /// another process writes, `Unavailable` if the store is not open for writing.
  [[nodiscard]] Result<void> clear();
  /// The time by `StoreOptions::now_s`.
  [[nodiscard]] std::int64_t now_s() const;
  /// Whether entries can be read, and whether they can be written.
  [[nodiscard]] bool is_open() const noexcept;
  [[nodiscard]] bool can_write() const noexcept;
  /// The file, whether it is there or not; empty if no folder is known.
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  /// What `StoreOptions::on_problem` was told.
  [[nodiscard]] std::optional<Error> problem() const;

 private:
  class State;
  explicit Store(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace vyre::store
