#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <vyre/base/error.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace vyre::store {

/// A connection to an SQLite file. Failures are errors: `Corrupt` if the file is damaged or none of SQLite's,
/// `TimedOut` if another process holds the file locked, `OutOfMemory` if the disk is full, `Unsupported` if the file
/// can only be read, `Unavailable` otherwise.
///
/// Thread safety: one thread at a time. Not in a child of `fork`.
class Database {
 public:
  /// `Frozen` reads a file that nobody can change, and needs no other file beside it.
  enum class Access : std::uint8_t { Read, Write, Frozen };

  [[nodiscard]] static Result<Database> open(const std::filesystem::path& file, Access access);

  /// Runs statements that give no rows.
  [[nodiscard]] Result<void> run(const char* sql);
  /// The number in the first column of the first row.
  [[nodiscard]] Result<std::int64_t> number(const char* sql);
  /// How long a statement waits for other processes.
  void set_patience_ms(int ms) noexcept;
  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  explicit Database(sqlite3* handle) noexcept : handle_{handle} {}

  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement. Texts and bytes that are bound must live until `reset`. The database outlives it.
class Statement {
 public:
  [[nodiscard]] static Result<Statement> prepare(Database& database, std::string_view sql);

  Statement& bind(int place, std::int64_t value) noexcept;
  Statement& bind(int place, std::string_view text) noexcept;
  Statement& bind(int place, std::span<const std::byte> bytes) noexcept;
  /// Moves to the next row; false behind the last.
  [[nodiscard]] Result<bool> step();
  /// Runs a statement that gives no rows, and resets it.
  [[nodiscard]] Result<void> run();
  void reset() noexcept;

  // Of the row at hand, until the next `step`.
  [[nodiscard]] std::int64_t number(int column) const noexcept;
  [[nodiscard]] std::string_view text(int column) const noexcept;
  [[nodiscard]] std::span<const std::byte> bytes(int column) const noexcept;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  explicit Statement(sqlite3_stmt* handle) noexcept : handle_{handle} {}

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace vyre::store
