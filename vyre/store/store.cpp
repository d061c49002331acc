#include <vyre/store/store.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <vyre/store/folder.hpp>
#include <vyre/store/store_file.hpp>

namespace vyre::store {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Changes are gathered for this long, so that a burst of them is one commit.
constexpr milliseconds kGather{50};
// How long to leave a file alone that another process is writing to, and how often in vain before the changes are lost.
constexpr milliseconds kLeaveAlone{100};
constexpr int kMostTries = 5;
constexpr int kPatienceMs = 500;
// The time of the last use is renewed if it is older than this.
constexpr std::int64_t kUseS = 3'600;
// A value above this share of the budget would drive out too much.
constexpr std::uint64_t kLargestShare = 4;

std::int64_t system_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

class Store::State {
 public:
  explicit State(StoreOptions options) : options_{std::move(options)} {
    if (!options_.now_s) options_.now_s = system_s;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  void open();
  [[nodiscard]] std::optional<Entry> find(const EntryName& name, std::uint32_t version);
  [[nodiscard]] std::vector<Entry> find_all(std::string_view kind, std::string_view scope, std::uint32_t version);
  void change(EntryName name, Change change);
  [[nodiscard]] std::int64_t now_s() const { return options_.now_s(); }
  [[nodiscard]] bool flush();
  [[nodiscard]] std::vector<EntryInfo> entries();
  [[nodiscard]] Result<void> clear();
  [[nodiscard]] std::uint64_t max_bytes() const noexcept { return options_.max_bytes; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] bool can_write() const noexcept { return is_open_ && can_write_; }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }
  [[nodiscard]] std::optional<Error> problem() const;

 private:
  [[nodiscard]] Result<void> prepare_folder();
  [[nodiscard]] Result<StoreFile> open_file();
  [[nodiscard]] Result<StoreFile> read_file();
  void say(Error error, std::string line);
  /// Closes the store for good; a damaged file is set aside.
  void give_up(Error error);
  /// A whole entry of the right version, and its use noted; a damaged one is forgotten.
  [[nodiscard]] std::optional<Entry> accept(StoreFile::Row row, std::uint32_t version);
  /// A change that is not on disk yet.
  [[nodiscard]] const Change* pending(const EntryName& name) const;
  void work();
  [[nodiscard]] Result<void> write(const Changes& changes);

  StoreOptions options_;
  fs::path path_;
  std::atomic<bool> is_open_ = false;
  std::atomic<bool> can_write_ = false;
  std::atomic<std::uint64_t> identity_ = 0;  // Of the file that was opened.

  std::mutex reading_;  // Guards `reader_`.
  std::optional<StoreFile> reader_;
  std::optional<StoreFile> writer_;  // Of the thread alone.

  mutable std::mutex mutex_;  // Guards what follows; taken after `reading_`.
  std::optional<Error> problem_;
  Changes waiting_;
  Changes writing_;
  std::uint64_t changes_ = 0;   // That were asked for.
  std::uint64_t written_ = 0;   // Of those, how many are on disk, or lost.
  std::uint64_t lost_ = 0;      // The last change that was lost.
  std::uint64_t hurry_to_ = 0;  // Somebody waits for this change.
  bool is_stopping_ = false;
  std::condition_variable changed_;
  std::condition_variable is_written_;
  std::thread thread_;  // From the first change on.
};

Result<void> Store::State::prepare_folder() {
  fs::path folder = options_.folder;
  if (folder.empty()) {
    VYRE_ASSIGN(const fs::path caches, user_cache_folder());
    folder = caches / "vyre";
  }
  path_ = folder / kFileName;
  if (options_.may_write) return make_private_folder(folder);
  std::error_code ignored;
  return fs::exists(folder, ignored) ? check_private(folder, fs::file_type::directory) : Result<void>{};
}

Result<StoreFile> Store::State::read_file() {
  VYRE_TRY(check_private(path_, fs::file_type::regular));
  // SQLite cannot make the files that it shares with other processes in a folder that can only be read.
  const bool is_frozen =
      faccessat(AT_FDCWD, path_.parent_path().c_str(), W_OK, AT_EACCESS) != 0 && !fs::exists(fs::path{path_} += "-wal");
  return StoreFile::open(path_, is_frozen ? Database::Access::Frozen : Database::Access::Read);
}

Result<StoreFile> Store::State::open_file() {
  if (!options_.may_write) return read_file();
  // One process at a time makes a store or sets it aside.
  const FileLock lock{fs::path{path_} += ".lock"};
  const auto open_once = [&]() -> Result<StoreFile> {
    VYRE_TRY(make_private_file(path_));
    identity_ = identity_of(path_);
    return StoreFile::open(path_, Database::Access::Write);
  };
  Result<StoreFile> file = open_once();
  if (!file && file.error().code == ErrorCode::Corrupt && lock.is_held()) {
    say(file.error(),
        fmt::format("while opening the store; '{}.damaged' has the file, a new one is made", path_.string()));
    set_aside(path_, identity_);
    file = open_once();
  }
  if (file) {
    can_write_ = true;
    return file;
  }
  if (file.error().code == ErrorCode::Corrupt) return file;
  Result<StoreFile> read = read_file();
  if (!read) return file;
  say(std::move(file).error(), "while opening the store; it is read, and what is learned now is not kept");
  return read;
}

void Store::State::open() {
  const Result<void> prepared = prepare_folder();
  std::error_code ignored;
  if (prepared && !options_.may_write && !fs::exists(path_, ignored)) return;
  Result<StoreFile> file = prepared ? open_file() : std::unexpected{prepared.error()};
  if (!file) {
    say(std::move(file).error(), "while opening the store; nothing is kept");
    return;
  }
  reader_ = *std::move(file);
  is_open_ = true;
}

void Store::State::say(Error error, std::string line) {
  error.context.push_back(std::move(line));
  {
    const std::scoped_lock lock{mutex_};
    if (problem_) return;
    problem_ = error;
  }
  if (options_.on_problem) options_.on_problem(error);
}

void Store::State::give_up(Error error) {
  if (!is_open_.exchange(false)) return;
  const bool is_damaged = error.code == ErrorCode::Corrupt;
  say(std::move(error),
      is_damaged ? fmt::format("while using the store; '{}.damaged' has the file, nothing more is kept", path_.string())
                 : "while using the store; nothing more is kept");
  if (!is_damaged || !can_write_) return;
  const FileLock lock{fs::path{path_} += ".lock"};
  if (lock.is_held()) set_aside(path_, identity_);
}

const Change* Store::State::pending(const EntryName& name) const {
  for (const Changes* changes : {&waiting_, &writing_}) {
    const auto found = changes->find(name);
    if (found != changes->end() && found->second.kind != Change::Kind::Use) return &found->second;
  }
  return nullptr;
}

std::optional<Entry> Store::State::accept(StoreFile::Row row, std::uint32_t version) {
  if (!row.is_whole) {
    say(Error{.code = ErrorCode::Corrupt,
              .message = fmt::format("entry '{}' of kind '{}' is damaged", row.entry.name.key, row.entry.name.kind)},
        "while reading the store; the entry is forgotten");
    change(row.entry.name, {.kind = Change::Kind::Erase});
    return std::nullopt;
  }
  if (row.version != version) return std::nullopt;
  const std::int64_t now = now_s();
  if (now - row.used_s > kUseS) change(row.entry.name, {.kind = Change::Kind::Use, .at_s = now});
  return std::move(row.entry);
}

std::optional<Entry> Store::State::find(const EntryName& name, std::uint32_t version) {
  if (!is_open_) return std::nullopt;
  {
    const std::scoped_lock lock{mutex_};
    if (const Change* change = pending(name)) {
      if (change->kind == Change::Kind::Erase || change->version != version) return std::nullopt;
      return Entry{.name = name, .value = change->value, .written_s = change->at_s};
    }
  }
  Result<std::optional<StoreFile::Row>> row = [&] {
    const std::scoped_lock lock{reading_};
    return reader_->find(name);
  }();
  if (!row) {
    if (row.error().code != ErrorCode::TimedOut) give_up(std::move(row).error());
    return std::nullopt;
  }
  if (!*row) return std::nullopt;
  return accept(**std::move(row), version);
}

std::vector<Entry> Store::State::find_all(std::string_view kind, std::string_view scope, std::uint32_t version) {
  std::vector<Entry> found;
  if (!is_open_) return found;
  Result<std::vector<StoreFile::Row>> rows = [&] {
    const std::scoped_lock lock{reading_};
    return reader_->find_all(kind, scope);
  }();
  if (!rows) {
    if (rows.error().code != ErrorCode::TimedOut) give_up(std::move(rows).error());
    return found;
  }
  std::map<EntryName, Entry> entries;
  for (StoreFile::Row& row : *rows) {
    if (std::optional<Entry> entry = accept(std::move(row), version)) entries[entry->name] = *std::move(entry);
  }
  {
    const std::scoped_lock lock{mutex_};
    for (const Changes* changes : {&writing_, &waiting_}) {
      for (const auto& [name, change] : *changes) {
        if (name.kind != kind || name.scope != scope || change.kind == Change::Kind::Use) continue;
        entries.erase(name);
        if (change.kind != Change::Kind::Put || change.version != version) continue;
        entries[name] = {.name = name, .value = change.value, .written_s = change.at_s};
      }
    }
  }
  for (auto& [name, entry] : entries) found.push_back(std::move(entry));
  return found;
}

void Store::State::change(EntryName name, Change change) {
  if (!can_write()) return;
  const std::scoped_lock lock{mutex_};
  if (is_stopping_) return;
  const auto found = waiting_.find(name);
  const bool is_use = change.kind == Change::Kind::Use;
  ++changes_;
  if (found == waiting_.end()) {
    waiting_.emplace(std::move(name), std::move(change));
  } else if (!is_use) {
    found->second = std::move(change);
  }
  if (!thread_.joinable()) thread_ = std::thread{[this] { work(); }};
  changed_.notify_one();
}

Result<void> Store::State::write(const Changes& changes) {
  if (!writer_) {
    const FileLock lock{fs::path{path_} += ".lock"};
    VYRE_ASSIGN(writer_, StoreFile::open(path_, Database::Access::Write));
    writer_->set_patience_ms(kPatienceMs);
  }
  return writer_->write(changes, options_.max_bytes);
}

void Store::State::work() {
  std::unique_lock lock{mutex_};
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || is_stopping_; });
    if (waiting_.empty()) return;
    changed_.wait_for(lock, kGather, [&] { return is_stopping_ || hurry_to_ > written_; });
    writing_ = std::exchange(waiting_, {});
    const std::uint64_t up_to = changes_;
    Result<void> written;
    for (int tried = 0; tried < kMostTries; ++tried) {
      lock.unlock();
      written = write(writing_);
      lock.lock();
      if (written || written.error().code != ErrorCode::TimedOut) break;
      changed_.wait_for(lock, kLeaveAlone, [&] { return is_stopping_; });
    }
    writing_.clear();
    if (!written) {
      lost_ = up_to;
      lock.unlock();
      // A full disk may have room later, and who holds the file locked may let it go.
      if (written.error().code == ErrorCode::Corrupt) {
        give_up(std::move(written).error());
      } else {
        say(std::move(written).error(), "while writing the store; what was learned is not kept");
      }
      lock.lock();
    }
    written_ = up_to;
    is_written_.notify_all();
  }
}

bool Store::State::flush() {
  std::unique_lock lock{mutex_};
  const std::uint64_t begin = written_;
  const std::uint64_t asked = changes_;
  hurry_to_ = asked;
  changed_.notify_one();
  is_written_.wait(lock, [&] { return written_ >= asked; });
  return can_write() && lost_ <= begin;
}

std::vector<EntryInfo> Store::State::entries() {
  std::ignore = flush();
  if (!is_open_) return {};
  const std::scoped_lock lock{reading_};
  Result<std::vector<EntryInfo>> infos = reader_->entries();
  if (infos) return *std::move(infos);
  if (infos.error().code != ErrorCode::TimedOut) give_up(std::move(infos).error());
  return {};
}

Result<void> Store::State::clear() {
  std::ignore = flush();
  const std::scoped_lock lock{reading_};
  if (!can_write()) return fail(ErrorCode::Unavailable, fmt::format("'{}' is not open for writing", path_.string()));
  std::error_code ignored;
  for (const char* ending : {".damaged", ".damaged-wal"}) fs::remove(fs::path{path_} += ending, ignored);
  return reader_->clear();
}

std::optional<Error> Store::State::problem() const {
  const std::scoped_lock lock{mutex_};
  return problem_;
}

Store::State::~State() {
  {
    const std::scoped_lock lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Store::Store(std::unique_ptr<State> state) noexcept : state_{std::move(state)} {}
Store::~Store() = default;

std::shared_ptr<Store> Store::open(StoreOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  state->open();
  return std::shared_ptr<Store>{new Store{std::move(state)}};
}

std::optional<Entry> Store::find(const EntryName& name, std::uint32_t version) { return state_->find(name, version); }

std::vector<Entry> Store::find_all(std::string_view kind, std::string_view scope, std::uint32_t version) {
  return state_->find_all(kind, scope, version);
}

void Store::put(EntryName name, std::uint32_t version, std::vector<std::byte> value) {
  if (value.size() > state_->max_bytes() / kLargestShare) return;
  const std::int64_t now = state_->now_s();
  state_->change(std::move(name),
                 {.kind = Change::Kind::Put, .version = version, .at_s = now, .value = std::move(value)});
}

void Store::erase(EntryName name) { state_->change(std::move(name), {.kind = Change::Kind::Erase}); }
bool Store::flush() { return state_->flush(); }
std::vector<EntryInfo> Store::entries() { return state_->entries(); }
Result<void> Store::clear() { return state_->clear(); }
std::int64_t Store::now_s() const { return state_->now_s(); }
bool Store::is_open() const noexcept { return state_->is_open(); }
bool Store::can_write() const noexcept { return state_->can_write(); }
const std::filesystem::path& Store::path() const noexcept { return state_->path(); }
std::optional<Error> Store::problem() const { return state_->problem(); }

}  // namespace vyre::store
