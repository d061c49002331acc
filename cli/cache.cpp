#include "cli/cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vyre/store/store.hpp>

#include "cli/file.hpp"
#include "cli/store_option.hpp"

namespace vyre::cli {
namespace {

namespace fs = std::filesystem;

/// The options of `vyre cache`.
struct CacheArguments {
  std::string what = "show";
  std::string store = {};
  bool json = false;
};

/// The entries of a kind and scope.
struct Summary {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::int64_t written_s = 0;
  std::int64_t used_s = 0;
};
using Summaries = std::map<std::pair<std::string, std::string>, Summary>;

Summaries summarise(const std::vector<store::EntryInfo>& entries) {
  Summaries all;
  for (const store::EntryInfo& entry : entries) {
    Summary& each = all[{entry.name.kind, entry.name.scope}];
    ++each.entries;
    each.bytes += entry.bytes;
    each.written_s = std::max(each.written_s, entry.written_s);
    each.used_s = std::max(each.used_s, entry.used_s);
  }
  return all;
}

std::string to_age(std::int64_t since_s) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t age = std::chrono::duration_cast<std::chrono::seconds>(now).count() - since_s;
  constexpr std::int64_t kHour = 3'600;
  constexpr std::int64_t kDay = 24 * kHour;
  if (age < kHour) return "less than an hour ago";
  if (age < 2 * kDay) return fmt::format("{} h ago", age / kHour);
  return fmt::format("{} days ago", age / kDay);
}

std::string to_size(std::uint64_t bytes) {
  return bytes < 10'000 ? fmt::format("{} B", bytes) : fmt::format("{} KiB", bytes >> 10);
}

/// The size of the file on disk, with SQLite's log.
std::uint64_t disk_bytes(const fs::path& file) {
  std::uint64_t bytes = 0;
  for (const char* ending : {"", "-wal"}) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(fs::path{file} += ending, error);
    if (!error) bytes += size;
  }
  return bytes;
}

std::string show_text(const store::Store& store, const Summaries& all) {
  if (!store.is_open()) return fmt::format("there is no store at {}\n", store.path().string());
  std::string text = fmt::format("{}, {} on disk\n", store.path().string(), to_size(disk_bytes(store.path())));
  for (const auto& [name, each] : all) {
    text += fmt::format("  {:<12} {:>5} {:<8} {:>9}   last used {}{}\n", name.first, each.entries,
                        each.entries == 1 ? "entry" : "entries", to_size(each.bytes), to_age(each.used_s),
                        name.second.empty() ? "" : ", for " + name.second);
  }
  if (all.empty()) text += "  nothing is kept yet\n";
  return text;
}

std::string show_json(const store::Store& store, const Summaries& all) {
  nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
  for (const auto& [name, each] : all) {
    kinds.push_back({{"kind", name.first},
                     {"scope", name.second},
                     {"entries", each.entries},
                     {"bytes", each.bytes},
                     {"written_s", each.written_s},
                     {"used_s", each.used_s}});
  }
  const nlohmann::ordered_json json{{"path", store.path().string()},
                                    {"exists", store.is_open()},
                                    {"disk_bytes", store.is_open() ? disk_bytes(store.path()) : 0},
                                    {"kinds", kinds}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<int> run(const CacheArguments& arguments) {
  if (arguments.store == "off")
    return fail(ErrorCode::InvalidArgument, "--store is 'off', this command takes a folder");
  std::shared_ptr<store::Store> store = store::Store::open({.folder = arguments.store, .may_write = false});
  if (store->path().empty() && store->problem()) return std::unexpected{*store->problem()};
  if (arguments.what == "path") {
    const std::string path = store->path().string();
    const std::string json =
        nlohmann::json{{"path", path}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    VYRE_TRY(standard_output().write((arguments.json ? json : path) + "\n"));
    return kExitSuccess;
  }
  if (arguments.what == "show") {
    if (store->problem()) return std::unexpected{*store->problem()};
    const Summaries all = summarise(store->entries());
    VYRE_TRY(standard_output().write(arguments.json ? show_json(*store, all) : show_text(*store, all)));
    return kExitSuccess;
  }
  // A store that is damaged is cleared by making a new one.
  std::error_code ignored;
  const bool is_there = fs::exists(store->path(), ignored);
  std::size_t entries = 0;
  if (is_there) {
    store = store::Store::open({.folder = arguments.store});
    entries = store->entries().size();
    if (!store->can_write() && store->problem()) return std::unexpected{*store->problem()};
    VYRE_TRY(store->clear());
  }
  const std::string text = is_there ? fmt::format("{}: {} {} forgotten\n", store->path().string(), entries,
                                                  entries == 1 ? "entry" : "entries")
                                    : fmt::format("there is no store at {}\n", store->path().string());
  const std::string json = nlohmann::ordered_json{{"path", store->path().string()}, {"forgotten", entries}}.dump(
                               2, ' ', false, nlohmann::json::error_handler_t::replace) +
                           "\n";
  VYRE_TRY(standard_output().write(arguments.json ? json : text));
  return kExitSuccess;
}

}  // namespace

void add_cache(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("cache", "Show or clear what is kept from one run to the next");
  command->footer(
      "vyre run stores what it has measured in a file, so that the next run need not measure it again. Clearing "
      "it\n"
      "costs time and never changes a result. docs/store.md says what is stored.\n\n"
      "  show   the entries by kind, how large they are and when they were last used\n"
      "  clear  forgets all entries, and a damaged file that was set aside\n"
      "  path   where the file is\n\n"
      "Examples:\n"
      "  vyre cache\n"
      "  vyre cache show --json\n"
      "  vyre cache clear");
  auto arguments = std::make_shared<CacheArguments>();
  command->add_option("WHAT", arguments->what, "show, clear or path")
      ->capture_default_str()
      ->check(CLI::IsMember({"show", "clear", "path"}));
  add_store_option(*command, arguments->store);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
