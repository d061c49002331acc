#include <vyre/runtime/stored_spirv.hpp>

#include <cstring>
#include <string>

namespace vyre::runtime {
namespace {

constexpr std::uint32_t kVersion = 1;

store::EntryName name_of(const program::Hash128& key) { return {.kind = "spirv", .key = to_string(key)}; }

}  // namespace

std::optional<std::vector<std::uint32_t>> StoredSpirv::find(const program::Hash128& key) {
  const std::optional<store::Entry> entry = store_->find(name_of(key), kVersion);
  if (!entry || entry->value.empty() || entry->value.size() % sizeof(std::uint32_t) != 0) return std::nullopt;
  std::vector<std::uint32_t> words(entry->value.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), entry->value.data(), entry->value.size());
  return words;
}

void StoredSpirv::put(const program::Hash128& key, std::span<const std::uint32_t> words) {
  const std::span<const std::byte> bytes = std::as_bytes(words);
  store_->put(name_of(key), kVersion, {bytes.begin(), bytes.end()});
}

}  // namespace vyre::runtime
