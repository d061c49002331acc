#include "tests/conformance/corpus.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include <vyre/base/check.hpp>

namespace vyre::tests {
namespace {

using kernels::Buffer;
using kernels::Comparison;
using kernels::KernelCase;
using kernels::ScalarType;

std::size_t size_of(ScalarType type) {
  switch (type) {
    case ScalarType::U8:
    case ScalarType::I8: return 1;
    case ScalarType::U16:
    case ScalarType::I16:
    case ScalarType::F16: return 2;
    case ScalarType::U32:
    case ScalarType::I32:
    case ScalarType::F32: return 4;
    case ScalarType::U64:
    case ScalarType::I64:
    case ScalarType::F64: return 8;
  }
  return 1;
}

std::uint64_t element(const Buffer& buffer, std::size_t index) {
  std::uint64_t bits = 0;
  const std::size_t size = size_of(buffer.type);
  std::memcpy(&bits, buffer.bytes.data() + index * size, std::min(size, buffer.bytes.size() - index * size));
  return bits;
}

std::vector<std::uint64_t> elements(const Buffer& buffer) {
  const std::size_t size = size_of(buffer.type);
  std::vector<std::uint64_t> values((buffer.bytes.size() + size - 1) / size);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(buffer, i);
  return values;
}

bool is_within(std::uint64_t bits, const kernels::Bounds& bounds) {
  const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return number >= bounds.least && number <= bounds.greatest;
}

}  // namespace

const std::vector<KernelCase>& corpus() {
  static const std::vector<KernelCase> kCases = kernels::all_kernels();
  return kCases;
}

std::map<std::string, backends::fake::Kernel> corpus_kernels() {
  std::map<std::string, backends::fake::Kernel> functions;
  for (const KernelCase& kernel : corpus()) {
    functions.emplace(kernel.name, [&kernel](const backends::fake::Invocation& invocation) {
      std::vector<Buffer> buffers = kernel.buffers;
      for (std::size_t i = 0; i < buffers.size(); ++i)
        std::ranges::copy(invocation.bindings[i], buffers[i].bytes.begin());
      kernel.oracle(buffers);
      for (std::size_t i = 0; i < buffers.size(); ++i)
        std::ranges::copy(buffers[i].bytes, invocation.bindings[i].begin());
    });
  }
  return functions;
}

std::string difference(const Buffer& actual, const Buffer& expected) {
  std::vector<std::uint64_t> left = elements(actual);
  std::vector<std::uint64_t> right = elements(expected);
  const Comparison& rule = expected.comparison;
  if (rule.rule == Comparison::Rule::Unordered) {
    std::ranges::sort(left);
    std::ranges::sort(right);
  }
  const bool has_bounds = rule.rule == Comparison::Rule::Within;
  VYRE_CHECK(!has_bounds || expected.bounds.size() == right.size(), "the oracle bounds every element");
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] == right[i] || (has_bounds && is_within(left[i], expected.bounds[i]))) continue;
    if (wrong++ > 0) continue;
    first = fmt::format("element {} is {:#x}, the oracle has {:#x}", i, left[i], right[i]);
    if (has_bounds) first += fmt::format(", or from {} to {}", expected.bounds[i].least, expected.bounds[i].greatest);
  }
  if (left.size() != right.size()) return fmt::format("{} elements, the oracle has {}", left.size(), right.size());
  return wrong == 0 ? "" : fmt::format("{} of {} elements differ: {}", wrong, right.size(), first);
}

}  // namespace vyre::tests
