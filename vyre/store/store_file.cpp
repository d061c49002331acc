#include <vyre/store/store_file.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>

#include <sys/stat.h>

#include <fmt/format.h>
#include <xxhash.h>

#include <vyre/base/bytes.hpp>

namespace vyre::store {
namespace {

constexpr std::int64_t kApplication = 0x76797265;  // "vyre"
constexpr std::int64_t kSchema = 1;
constexpr const char* kEntries =
    "CREATE TABLE entries(kind TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, "
    "written INTEGER NOT NULL, used INTEGER NOT NULL, bytes INTEGER NOT NULL, checksum BLOB NOT NULL, "
    "value BLOB NOT NULL, UNIQUE(kind, scope, key))";
constexpr const char* kByUse = "CREATE INDEX entries_by_use ON entries(used, bytes)";
/// What an entry takes besides its name and value, about.
constexpr std::uint64_t kEntryBytes = 64;
/// Entries go until this share of the budget is left, so that not every new one makes others go.
constexpr std::uint64_t kKeptPercent = 90;
constexpr int kPatienceMs = 2'000;

std::uint64_t bytes_of(const EntryName& name, std::size_t value) {
  return name.kind.size() + name.scope.size() + name.key.size() + value + kEntryBytes;
}

std::vector<std::byte> checksum_of(const EntryName& name, std::uint32_t version, std::int64_t written_s,
                                   std::span<const std::byte> value) {
  ByteWriter head;
  head.add_text(name.kind).add_text(name.scope).add_text(name.key).add(version).add(written_s);
  const std::vector<std::byte> bytes = head.take();
  const XXH128_hash_t of_head = XXH3_128bits(bytes.data(), bytes.size());
  const XXH128_hash_t hash = XXH3_128bits_withSeed(value.data(), value.size(), of_head.low64 ^ of_head.high64);
  return ByteWriter{}.add(hash.low64).add(hash.high64).take();
}

StoreFile::Row row_of(const Statement& at, EntryName name) {
  StoreFile::Row row{.entry = {.name = std::move(name), .written_s = at.number(2)},
                     .version = static_cast<std::uint32_t>(at.number(1)),
                     .used_s = at.number(3)};
  const std::span<const std::byte> value = at.bytes(5);
  const std::span<const std::byte> checksum = at.bytes(4);
  const std::vector<std::byte> expected = checksum_of(row.entry.name, row.version, row.entry.written_s, value);
  row.is_whole = std::ranges::equal(checksum, expected);
  if (row.is_whole) row.entry.value.assign(value.begin(), value.end());
  return row;
}

/// Whether a file is empty, or a process that was making it was ended.
Result<bool> is_without_tables(Database& database) {
  VYRE_ASSIGN(const std::int64_t application, database.number("PRAGMA application_id"));
  VYRE_ASSIGN(const std::int64_t schema, database.number("PRAGMA user_version"));
  VYRE_ASSIGN(const std::int64_t tables, database.number("SELECT count(*) FROM sqlite_schema"));
  return application == 0 && schema == 0 && tables == 0;
}

Result<void> make_tables(Database& database) {
  VYRE_TRY(database.run("BEGIN IMMEDIATE"));
  for (const std::string& sql :
       {std::string{kEntries}, std::string{kByUse}, fmt::format("PRAGMA application_id = {}", kApplication),
        fmt::format("PRAGMA user_version = {}", kSchema)}) {
    VYRE_TRY(database.run(sql.c_str()));
  }
  return database.run("COMMIT");
}

/// Compares the tables with those that the statements here are for, text by text.
Result<void> check_tables(Database& database, const std::filesystem::path& file) {
  VYRE_ASSIGN(const std::int64_t application, database.number("PRAGMA application_id"));
  VYRE_ASSIGN(const std::int64_t schema, database.number("PRAGMA user_version"));
  if (application == kApplication && schema > kSchema) {
    return fail(ErrorCode::Unsupported,
                fmt::format("'{}' was made by a newer vyre: its format is {}, this one reads {}", file.string(), schema,
                            kSchema));
  }
  VYRE_ASSIGN(Statement tables, Statement::prepare(database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"));
  int known = 0;
  int others = 0;
  for (bool is_row = true; is_row;) {
    VYRE_ASSIGN(is_row, tables.step());
    if (is_row) (tables.text(0) == kEntries || tables.text(0) == kByUse ? known : others) += 1;
  }
  if (application == kApplication && schema == kSchema && known == 2 && others == 0) return {};
  return fail(ErrorCode::Corrupt, fmt::format("'{}' is not a store: its tables are other ones", file.string()));
}

}  // namespace

Result<StoreFile> StoreFile::open(const std::filesystem::path& file, Database::Access access) {
  VYRE_ASSIGN(Database database, Database::open(file, access));
  database.set_patience_ms(kPatienceMs);
  if (access == Database::Access::Write) {
    VYRE_TRY(database.run("PRAGMA cache_size = -512"));
    // Waiting for the disk would take 40 ms when a process ends. Without it, a loss of power may damage the file, which
    // is noticed; the end of a process cannot.
    VYRE_TRY(database.run("PRAGMA synchronous = OFF"));
    VYRE_TRY(database.run("PRAGMA journal_mode = WAL"));
    VYRE_ASSIGN(const bool is_new, is_without_tables(database));
    if (is_new) VYRE_TRY(make_tables(database));
  }
  VYRE_TRY(check_tables(database, file));
  const auto prepare = [&](std::string_view sql) { return Statement::prepare(database, sql); };
  VYRE_ASSIGN(Statement find, prepare("SELECT kind, version, written, used, checksum, value FROM entries "
                                      "WHERE kind = ?1 AND scope = ?2 AND key = ?3"));
  VYRE_ASSIGN(Statement find_all, prepare("SELECT key, version, written, used, checksum, value FROM entries "
                                          "WHERE kind = ?1 AND scope = ?2"));
  VYRE_ASSIGN(Statement entries, prepare("SELECT kind, scope, key, version, bytes, written, used FROM entries "
                                         "ORDER BY kind, scope, key"));
  VYRE_ASSIGN(Statement put, prepare("INSERT OR REPLACE INTO entries VALUES(?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8)"));
  VYRE_ASSIGN(Statement erase, prepare("DELETE FROM entries WHERE kind = ?1 AND scope = ?2 AND key = ?3"));
  VYRE_ASSIGN(Statement use, prepare("UPDATE entries SET used = max(used, ?4) "
                                     "WHERE kind = ?1 AND scope = ?2 AND key = ?3"));
  VYRE_ASSIGN(Statement total, prepare("SELECT coalesce(sum(bytes), 0) FROM entries"));
  VYRE_ASSIGN(Statement oldest, prepare("SELECT rowid, bytes FROM entries ORDER BY used LIMIT 64"));
  VYRE_ASSIGN(Statement evict, prepare("DELETE FROM entries WHERE rowid = ?1"));
  return StoreFile{std::move(database),
                   {.find = std::move(find),
                    .find_all = std::move(find_all),
                    .entries = std::move(entries),
                    .put = std::move(put),
                    .erase = std::move(erase),
                    .use = std::move(use),
                    .total = std::move(total),
                    .oldest = std::move(oldest),
                    .evict = std::move(evict)}};
}

Result<std::optional<StoreFile::Row>> StoreFile::find(const EntryName& name) {
  Statement& statement = statements_.find;
  statement.bind(1, name.kind).bind(2, name.scope).bind(3, name.key);
  std::optional<Row> row;
  Result<bool> is_row = statement.step();
  if (is_row && *is_row) row = row_of(statement, name);
  statement.reset();
  if (!is_row) return std::unexpected{std::move(is_row).error()};
  return row;
}

Result<std::vector<StoreFile::Row>> StoreFile::find_all(std::string_view kind, std::string_view scope) {
  Statement& statement = statements_.find_all;
  statement.bind(1, kind).bind(2, scope);
  std::vector<Row> rows;
  Result<bool> is_row = statement.step();
  for (; is_row && *is_row; is_row = statement.step()) {
    EntryName name{.kind = std::string{kind}, .scope = std::string{scope}, .key = std::string{statement.text(0)}};
    rows.push_back(row_of(statement, std::move(name)));
  }
  statement.reset();
  if (!is_row) return std::unexpected{std::move(is_row).error()};
  return rows;
}

Result<std::vector<EntryInfo>> StoreFile::entries() {
  Statement& statement = statements_.entries;
  std::vector<EntryInfo> infos;
  Result<bool> is_row = statement.step();
  for (; is_row && *is_row; is_row = statement.step()) {
    infos.push_back({.name = {.kind = std::string{statement.text(0)},
                              .scope = std::string{statement.text(1)},
                              .key = std::string{statement.text(2)}},
                     .version = static_cast<std::uint32_t>(statement.number(3)),
                     .bytes = static_cast<std::uint64_t>(statement.number(4)),
                     .written_s = statement.number(5),
                     .used_s = statement.number(6)});
  }
  statement.reset();
  if (!is_row) return std::unexpected{std::move(is_row).error()};
  return infos;
}

Result<void> StoreFile::write(const Changes& changes, std::uint64_t max_bytes) {
  VYRE_TRY(database_.run("BEGIN IMMEDIATE"));
  Result<void> written = change(changes, max_bytes);
  if (written) written = database_.run("COMMIT");
  // Some failures have rolled back by themselves.
  if (!written) std::ignore = database_.run("ROLLBACK");
  return written;
}

Result<void> StoreFile::change(const Changes& changes, std::uint64_t max_bytes) {
  bool is_more = false;
  for (const auto& [name, change] : changes) {
    switch (change.kind) {
      case Change::Kind::Put: {
        is_more = true;
        const std::vector<std::byte> checksum = checksum_of(name, change.version, change.at_s, change.value);
        Statement& put = statements_.put;
        put.bind(1, name.kind).bind(2, name.scope).bind(3, name.key).bind(4, std::int64_t{change.version});
        put.bind(5, change.at_s).bind(6, static_cast<std::int64_t>(bytes_of(name, change.value.size())));
        put.bind(7, checksum).bind(8, change.value);
        VYRE_TRY(put.run());
        break;
      }
      case Change::Kind::Erase:
        statements_.erase.bind(1, name.kind).bind(2, name.scope).bind(3, name.key);
        VYRE_TRY(statements_.erase.run());
        break;
      case Change::Kind::Use:
        statements_.use.bind(1, name.kind).bind(2, name.scope).bind(3, name.key).bind(4, change.at_s);
        VYRE_TRY(statements_.use.run());
        break;
    }
  }
  return is_more ? evict(max_bytes) : Result<void>{};
}

Result<void> StoreFile::evict(std::uint64_t max_bytes) {
  VYRE_TRY(statements_.total.step());
  auto total = static_cast<std::uint64_t>(statements_.total.number(0));
  statements_.total.reset();
  if (total <= max_bytes) return {};
  const std::uint64_t kept = max_bytes / 100 * kKeptPercent;
  while (total > kept) {
    std::vector<std::pair<std::int64_t, std::uint64_t>> oldest;
    Statement& statement = statements_.oldest;
    Result<bool> is_row = statement.step();
    for (; is_row && *is_row; is_row = statement.step()) {
      oldest.emplace_back(statement.number(0), static_cast<std::uint64_t>(statement.number(1)));
    }
    statement.reset();
    if (!is_row) return std::unexpected{std::move(is_row).error()};
    if (oldest.empty()) return {};
    for (const auto& [row, bytes] : oldest) {
      if (total <= kept) break;
      VYRE_TRY(statements_.evict.bind(1, row).run());
      total -= std::min(total, bytes);
    }
  }
  return {};
}

Result<void> StoreFile::clear() {
  VYRE_TRY(database_.run("DELETE FROM entries"));
  VYRE_TRY(database_.run("VACUUM"));
  return database_.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

std::uint64_t identity_of(const std::filesystem::path& file) noexcept {
  struct stat found{};
  return lstat(file.c_str(), &found) == 0 ? found.st_ino : 0;
}

void set_aside(const std::filesystem::path& file, std::uint64_t opened) {
  if (identity_of(file) != opened) return;
  std::error_code ignored;
  const auto beside = [&](const char* ending) { return std::filesystem::path{file} += ending; };
  // A process that still uses the old file keeps it open, and SQLite leaves files alone that were renamed meanwhile.
  std::filesystem::rename(file, beside(".damaged"), ignored);
  std::filesystem::rename(beside("-wal"), beside(".damaged-wal"), ignored);
  std::filesystem::remove(beside("-shm"), ignored);
}

}  // namespace vyre::store
