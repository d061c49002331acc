#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/store/database.hpp>
#include <vyre/store/store.hpp>

namespace vyre::store {

/// The name of a store's file in its folder.
inline constexpr const char* kFileName = "store.sqlite";

/// A change of one entry.
struct Change {
  enum class Kind : std::uint8_t { Put, Erase, Use };
  Kind kind = Kind::Put;
  std::uint32_t version = 0;
  std::int64_t at_s = 0;
  std::vector<std::byte> value = {};
};
using Changes = std::map<EntryName, Change>;

/// A connection to the file of a store: its tables, and the statements on them. Errors as `Database`'s; a file whose
/// tables are other ones is `Corrupt`, one of a newer vyre `Unsupported`.
///
/// Thread safety: one thread at a time.
class StoreFile {
 public:
  /// Opens the file, and makes its tables if it is empty.
  [[nodiscard]] static Result<StoreFile> open(const std::filesystem::path& file, Database::Access access);

  /// An entry, whatever its version. `is_whole` is false if its checksum is wrong.
  struct Row {
    Entry entry = {};
    std::uint32_t version = 0;
    std::int64_t used_s = 0;
    bool is_whole = false;
  };
  [[nodiscard]] Result<std::optional<Row>> find(const EntryName& name);
  [[nodiscard]] Result<std::vector<Row>> find_all(std::string_view kind, std::string_view scope);
  [[nodiscard]] Result<std::vector<EntryInfo>> entries();
  /// Makes all changes or none, and forgets what was not used for the longest time beyond `max_bytes`.
  [[nodiscard]] Result<void> write(const Changes& changes, std::uint64_t max_bytes);
  [[nodiscard]] Result<void> clear();
  void set_patience_ms(int ms) noexcept { database_.set_patience_ms(ms); }

 private:
  struct Statements {
    Statement find;
    Statement find_all;
    Statement entries;
    Statement put;
    Statement erase;
    Statement use;
    Statement total;
    Statement oldest;
    Statement evict;
  };
  StoreFile(Database database, Statements statements)
      : database_{std::move(database)}, statements_{std::move(statements)} {}
  [[nodiscard]] Result<void> change(const Changes& changes, std::uint64_t max_bytes);
  [[nodiscard]] Result<void> evict(std::uint64_t max_bytes);

  Database database_;
  Statements statements_;
};

/// Renames a damaged file, and the files beside it, so that a new one can be made; keeps one such file. Does nothing if
/// the file is another one than `opened` by now, since another process was faster.
void set_aside(const std::filesystem::path& file, std::uint64_t opened);
/// What tells a file from the one that is made in its place; 0 if there is none.
[[nodiscard]] std::uint64_t identity_of(const std::filesystem::path& file) noexcept;

}  // namespace vyre::store
