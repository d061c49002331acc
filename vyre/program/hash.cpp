#include <vyre/program/hash.hpp>

#include <bit>

#include <fmt/format.h>
#include <xxhash.h>

#include <vyre/base/check.hpp>

namespace vyre::program {

static_assert(std::endian::native == std::endian::little, "values are hashed as they lie in memory");

struct Hasher::State {
  XXH3_state_t* xxh3 = XXH3_createState();

  State() { VYRE_CHECK(xxh3 != nullptr && XXH3_128bits_reset(xxh3) == XXH_OK, "there is memory for a hash"); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { XXH3_freeState(xxh3); }
};

Hasher::Hasher() : state_{std::make_unique<State>()} {}
Hasher::~Hasher() = default;

Hasher& Hasher::add(std::uint64_t value) {
  XXH3_128bits_update(state_->xxh3, &value, sizeof value);
  return *this;
}

Hasher& Hasher::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  XXH3_128bits_update(state_->xxh3, text.data(), text.size());
  return *this;
}

Hasher& Hasher::add(std::span<const std::uint32_t> words) {
  add(std::uint64_t{words.size()});
  XXH3_128bits_update(state_->xxh3, words.data(), words.size_bytes());
  return *this;
}

Hash128 Hasher::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh3);
  return {.high = hash.high64, .low = hash.low64};
}

std::string to_string(const Hash128& hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

}  // namespace vyre::program
