#include <vyre/store/database.hpp>

#include <fmt/format.h>
#include <sqlite3.h>

namespace vyre::store {
namespace {

ErrorCode to_code(int result) noexcept {
  switch (result & 0xff) {
    // A statement is right, so that one which cannot be prepared does not suit the tables that are there.
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_FORMAT: return ErrorCode::Corrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::TimedOut;
    case SQLITE_FULL:
    case SQLITE_NOMEM: return ErrorCode::OutOfMemory;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return ErrorCode::Unsupported;
    case SQLITE_IOERR:
      // The file ends within a page.
      return result == SQLITE_IOERR_SHORT_READ || result == SQLITE_IOERR_DATA || result == SQLITE_IOERR_CORRUPTFS
                 ? ErrorCode::Corrupt
                 : ErrorCode::Unavailable;
    default: return ErrorCode::Unavailable;
  }
}

std::string to_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", c);
    } else {
      uri += c;
    }
  }
  return uri;
}

std::unexpected<Error> failed(sqlite3* handle, int result) {
  const char* const file = handle == nullptr ? nullptr : sqlite3_db_filename(handle, "main");
  return fail(to_code(result), fmt::format("SQLite reports '{}' ({}) of '{}'",
                                           handle == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(handle), result,
                                           file == nullptr ? "" : file));
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }

Result<Database> Database::open(const std::filesystem::path& file, Access access) {
  sqlite3* handle = nullptr;
  const int flags = access == Access::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const std::string uri = to_uri(file) + (access == Access::Frozen ? "?immutable=1" : "");
  const int result = sqlite3_open_v2(uri.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, "unix");
  Database database{handle};
  if (result != SQLITE_OK) return failed(handle, result);
  sqlite3_extended_result_codes(handle, 1);
  // The file may be damaged, so nothing in it is run, and sizes within it are checked.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  VYRE_TRY(database.run("PRAGMA cell_size_check = ON"));
  // A file that is mapped and becomes shorter would end the process.
  VYRE_TRY(database.run("PRAGMA mmap_size = 0"));
  VYRE_TRY(database.run("PRAGMA temp_store = MEMORY"));
  return database;
}

Result<void> Database::run(const char* sql) {
  const int result = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return failed(handle(), result);
  return {};
}

Result<std::int64_t> Database::number(const char* sql) {
  VYRE_ASSIGN(Statement statement, Statement::prepare(*this, sql));
  VYRE_ASSIGN(const bool is_row, statement.step());
  return is_row ? statement.number(0) : 0;
}

void Database::set_patience_ms(int ms) noexcept { sqlite3_busy_timeout(handle(), ms); }

void Statement::Finalize::operator()(sqlite3_stmt* handle) const noexcept { sqlite3_finalize(handle); }

Result<Statement> Statement::prepare(Database& database, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int result = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  Statement statement{handle};
  if (result != SQLITE_OK) return failed(database.handle(), result);
  return statement;
}

// Binding fails for want of memory alone; the statement then runs into a value that is not there.
Statement& Statement::bind(int place, std::int64_t value) noexcept {
  sqlite3_bind_int64(handle_.get(), place, value);
  return *this;
}

Statement& Statement::bind(int place, std::string_view text) noexcept {
  sqlite3_bind_text64(handle_.get(), place, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int place, std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) {
    sqlite3_bind_zeroblob(handle_.get(), place, 0);
  } else {
    sqlite3_bind_blob64(handle_.get(), place, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
  return *this;
}

Result<bool> Statement::step() {
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return failed(sqlite3_db_handle(handle_.get()), result);
}

Result<void> Statement::run() {
  Result<bool> stepped = step();
  reset();
  if (!stepped) return std::unexpected{std::move(stepped).error()};
  return {};
}

void Statement::reset() noexcept {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

std::int64_t Statement::number(int column) const noexcept { return sqlite3_column_int64(handle_.get(), column); }

std::string_view Statement::text(int column) const noexcept {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::span<const std::byte> Statement::bytes(int column) const noexcept {
  const auto* const bytes = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

}  // namespace vyre::store
