#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "tests/equivalence/random.hpp"
#include "tests/forms/random_kernel.hpp"

namespace vyre::tests {
namespace {

constexpr std::uint32_t kMaxGroups = 24;
constexpr std::uint32_t kMaxInvocations = 1'024;

void put(std::span<std::byte> bytes, std::uint32_t offset, std::uint32_t word) {
  std::memcpy(bytes.data() + offset, &word, sizeof word);
}

std::uint32_t random_scalar(Base base, Random& random) {
  if (base == Base::Float) {
    const float quarter = static_cast<float>(static_cast<int>(random.below(505)) - 252) * 0.25F;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &quarter, sizeof bits);
    return bits;
  }
  return random.percent(40) ? static_cast<std::uint32_t>(random.below(9)) : random.word();
}

void fill(std::span<std::byte> bytes, std::span<const PlacedScalar> scalars, Random& random) {
  for (const PlacedScalar& scalar : scalars) put(bytes, scalar.offset, random_scalar(scalar.base, random));
}

std::array<std::uint32_t, 3> random_groups(const KernelShape& shape, Random& random) {
  const std::uint32_t locals = shape.workgroup[0] * shape.workgroup[1] * shape.workgroup[2];
  for (;;) {
    std::array<std::uint32_t, 3> groups = {1, 1, 1};
    groups[0] = static_cast<std::uint32_t>(random.between(1, 5));
    if (!shape.is_flat) {
      if (random.percent(50)) groups[1] = static_cast<std::uint32_t>(random.between(1, 5));
      if (random.percent(40)) groups[2] = static_cast<std::uint32_t>(random.between(1, 4));
    }
    const std::uint32_t all = groups[0] * groups[1] * groups[2];
    if (all <= kMaxGroups && all * locals <= kMaxInvocations) return groups;
  }
}

std::uint32_t random_length(const BufferShape& shape, std::uint32_t invocations, std::uint32_t groups, Random& random) {
  switch (shape.rule) {
    case LengthRule::None: return 0;
    case LengthRule::Any: return static_cast<std::uint32_t>(random.between(1, 24));
    case LengthRule::PerInvocation:
    case LengthRule::PerGroup: break;
  }
  const std::uint32_t all = shape.per_index * (shape.rule == LengthRule::PerGroup ? groups : invocations);
  if (random.percent(65)) return all + static_cast<std::uint32_t>(random.below(4));
  // A buffer without a byte cannot be bound.
  return static_cast<std::uint32_t>(random.between(shape.data_offset == 0 ? 1 : 0, all));
}

std::vector<std::byte> random_contents(const BufferShape& shape, std::uint32_t length, bool is_exact, Random& random) {
  std::uint32_t size = shape.rule == LengthRule::None ? shape.header.size : shape.data_offset + length * shape.stride;
  if (shape.rule != LengthRule::None && !is_exact && random.percent(30)) {
    size += 4 * static_cast<std::uint32_t>(random.below(shape.stride / 4));
  }
  // Padding has contents too, which nobody may change.
  std::vector<std::byte> bytes = bytes_of_seed(size, random.next());
  fill(bytes, shape.header.scalars, random);
  for (std::uint32_t i = 0; i < length; ++i) {
    fill(std::span{bytes}.subspan(shape.data_offset + i * shape.stride), shape.element, random);
  }
  return bytes;
}

}  // namespace

KernelWork random_work(const KernelShape& shape, std::uint64_t seed) {
  Random random{seed};
  KernelWork work{.groups = random_groups(shape, random)};
  const std::uint32_t groups = work.groups[0] * work.groups[1] * work.groups[2];
  const std::uint32_t invocations = groups * shape.workgroup[0] * shape.workgroup[1] * shape.workgroup[2];
  std::uint32_t room = std::numeric_limits<std::uint32_t>::max();
  for (const BufferShape& buffer : shape.buffers) {
    const std::uint32_t length = std::max(buffer.least, random_length(buffer, invocations, groups, random));
    if (buffer.rule == LengthRule::PerInvocation) room = std::min(room, length / buffer.per_index);
    work.buffers.push_back(random_contents(buffer, length, shape.is_exact, random));
  }
  work.params = bytes_of_seed(shape.params.size, random.next());
  fill(work.params, shape.params.scalars, random);
  if (shape.has_count) {
    const bool is_full = random.percent(60);
    put(work.params, 0, is_full ? std::min(room, invocations) : static_cast<std::uint32_t>(random.below(room + 1ULL)));
  }
  return work;
}

}  // namespace vyre::tests
