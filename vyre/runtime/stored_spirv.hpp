#pragma once

#include <memory>
#include <utility>

#include <vyre/program/spirv_cache.hpp>
#include <vyre/store/store.hpp>

namespace vyre::runtime {

/// Keeps SPIR-V in a store, as entries of the kind `spirv`.
class StoredSpirv final : public program::SpirvCache {
 public:
  explicit StoredSpirv(std::shared_ptr<store::Store> store) noexcept : store_{std::move(store)} {}

  [[nodiscard]] std::optional<std::vector<std::uint32_t>> find(const program::Hash128& key) override;
  void put(const program::Hash128& key, std::span<const std::uint32_t> words) override;

 private:
  std::shared_ptr<store::Store> store_;
};

}  // namespace vyre::runtime
