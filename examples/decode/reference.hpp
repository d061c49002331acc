#pragma once

#include <cstdint>
#include <vector>

#include <examples/decode/model.hpp>

namespace decode {

/// The same network in plain C++ and double precision. Only the cache is rounded, to halves as kernels keep it.
class Reference {
 public:
  explicit Reference(const Model& model);

  /// The logits after `token` at `position`. Positions of a sequence come one after another, from 0.
  [[nodiscard]] std::vector<double> next(std::uint32_t token, std::uint32_t position);

 private:
  const Model& model_;
  std::vector<std::vector<double>> keys_;  ///< By layer; a row for each position.
  std::vector<std::vector<double>> values_;
};

}  // namespace decode
