#include <vyre/program/bound.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>

namespace vyre::program {
namespace {

__extension__ using i128 = __int128;

constexpr i128 power(std::uint32_t exponent) noexcept { return i128{1} << exponent; }

/// All numbers from `lo` to `hi`. Values of a width are numbers modulo 2^width; `lo` is then 0 or more and less than
/// that.
struct Interval {
  i128 lo = 0;
  i128 hi = 0;

  [[nodiscard]] constexpr bool is_one() const noexcept { return lo == hi; }
};

constexpr Interval one(i128 value) noexcept { return {.lo = value, .hi = value}; }

constexpr Interval any(std::uint32_t width) noexcept { return {.lo = 0, .hi = power(width) - 1}; }

/// As values of a width.
constexpr Interval wrapped(const Interval& all, std::uint32_t width) noexcept {
  const i128 modulus = power(width);
  if (all.hi - all.lo >= modulus) return any(width);
  i128 rest = all.lo % modulus;
  if (rest < 0) rest += modulus;
  return {.lo = rest, .hi = rest + (all.hi - all.lo)};
}

/// Values of a width, read without a sign.
constexpr Interval as_unsigned(const Interval& values, std::uint32_t width) noexcept {
  return values.hi < power(width) ? values : any(width);
}

/// Values of a width, read with a sign.
constexpr Interval as_signed(const Interval& values, std::uint32_t width) noexcept {
  const i128 half = power(width - 1);
  if (values.hi < half) return values;
  const Interval below{.lo = values.lo - power(width), .hi = values.hi - power(width)};
  if (below.lo >= -half && below.hi < half) return below;
  return {.lo = -half, .hi = half - 1};
}

constexpr Interval narrower(const Interval& a, const Interval& b) noexcept { return a.hi - a.lo < b.hi - b.lo ? a : b; }

constexpr Interval hull(const Interval& a, const Interval& b) noexcept {
  return {.lo = std::min(a.lo, b.lo), .hi = std::max(a.hi, b.hi)};
}

constexpr Interval negated(const Interval& all) noexcept { return {.lo = -all.hi, .hi = -all.lo}; }

/// The products of two intervals, as values of a width.
Interval multiply(const Interval& a, const Interval& b, std::uint32_t width) noexcept {
  constexpr i128 kMost = power(125);  // Differences of such numbers do not overflow.
  std::optional<Interval> all;
  for (const i128 x : {a.lo, a.hi}) {
    for (const i128 y : {b.lo, b.hi}) {
      i128 product = 0;
      if (__builtin_mul_overflow(x, y, &product) || product > kMost || product < -kMost) return any(width);
      all = all ? hull(*all, one(product)) : one(product);
    }
  }
  return wrapped(*all, width);
}

/// Division by positive numbers, towards zero or down.
Interval divide(const Interval& a, const Interval& b, bool is_down) noexcept {
  const auto quotient = [is_down](i128 x, i128 y) { return is_down && x < 0 ? -((-x + y - 1) / y) : x / y; };
  return {.lo = std::min(quotient(a.lo, b.lo), quotient(a.lo, b.hi)),
          .hi = std::max(quotient(a.hi, b.lo), quotient(a.hi, b.hi))};
}

/// How many of `first`, `first + step`, … come before one that is not below `limit`, at most. That one must not be
/// beyond `largest`, or it would wrap round.
std::uint64_t count_steps(const Interval& first, const Interval& step, const Interval& limit, i128 largest) noexcept {
  if (first.lo >= limit.hi) return 0;
  if (step.lo <= 0) return kUnbounded;
  const i128 count = (limit.hi - first.lo + step.lo - 1) / step.lo;
  const bool is_exact = first.is_one() && step.is_one() && limit.is_one();
  const i128 last = is_exact ? first.lo + count * step.lo : limit.hi - 1 + step.hi;
  return last > largest || count >= i128{kUnbounded} ? kUnbounded : static_cast<std::uint64_t>(count);
}

/// The least 2^n - 1 that is not less.
constexpr i128 filled(i128 value) noexcept {
  i128 all = 0;
  while (all < value) all = all * 2 + 1;
  return all;
}

class Evaluation {
 public:
  Evaluation(std::span<const BoundNode> nodes, const DispatchFacts& facts) noexcept : nodes_{nodes}, facts_{facts} {}

  /// The values of the last node.
  [[nodiscard]] Interval run() noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) values_[i] = value_of(nodes_[i]);
    return values_[nodes_.size() - 1];
  }

 private:
  [[nodiscard]] const Interval& at(std::uint16_t index) const noexcept { return values_[index]; }
  [[nodiscard]] Interval unsigned_at(std::uint16_t index) const noexcept {
    return as_unsigned(at(index), nodes_[index].width);
  }
  [[nodiscard]] Interval signed_at(std::uint16_t index) const noexcept {
    return as_signed(at(index), nodes_[index].width);
  }
  [[nodiscard]] Interval read(std::uint16_t index, bool has_sign) const noexcept {
    return has_sign ? signed_at(index) : unsigned_at(index);
  }
  [[nodiscard]] Interval narrower_at(std::uint16_t index) const noexcept {
    return narrower(signed_at(index), unsigned_at(index));
  }
  [[nodiscard]] std::uint64_t count_at(std::uint16_t index) const noexcept {
    return static_cast<std::uint64_t>(unsigned_at(index).hi);
  }

  [[nodiscard]] Interval value_of(const BoundNode& node) const noexcept {
    const std::uint32_t width = node.width;
    switch (node.op) {
      case BoundOp::Constant: return one(i128{node.value});
      case BoundOp::Any: return any(width);
      case BoundOp::Parameter: return parameter(node);
      case BoundOp::Groups: return one(i128{facts_.groups[node.value]});
      case BoundOp::Below: return wrapped({.lo = 0, .hi = i128{node.value} - 1}, width);
      case BoundOp::BelowGroups: {
        const i128 all = i128{facts_.groups[node.a]} * i128{node.value};
        return wrapped({.lo = 0, .hi = std::max<i128>(all, 1) - 1}, width);
      }
      case BoundOp::Add:
        return wrapped({.lo = at(node.a).lo + at(node.b).lo, .hi = at(node.a).hi + at(node.b).hi}, width);
      case BoundOp::Subtract:
        return wrapped({.lo = at(node.a).lo - at(node.b).hi, .hi = at(node.a).hi - at(node.b).lo}, width);
      case BoundOp::Multiply: return multiply(narrower_at(node.a), narrower_at(node.b), width);
      case BoundOp::Not: return wrapped({.lo = -1 - at(node.a).hi, .hi = -1 - at(node.a).lo}, width);
      case BoundOp::Negate: return wrapped(negated(at(node.a)), width);
      case BoundOp::DivideUnsigned:
      case BoundOp::DivideSigned:
      case BoundOp::RestUnsigned:
      case BoundOp::RestSigned: return quotient(node);
      case BoundOp::ShiftLeft:
      case BoundOp::ShiftRight:
      case BoundOp::ShiftRightSigned: return shifted(node);
      case BoundOp::And:
      case BoundOp::Or:
      case BoundOp::Xor: return bits(node);
      case BoundOp::MinUnsigned:
      case BoundOp::MaxUnsigned:
      case BoundOp::MinSigned:
      case BoundOp::MaxSigned: return extreme(node);
      case BoundOp::Widen: return wrapped(unsigned_at(node.a), width);
      case BoundOp::WidenSigned: return wrapped(signed_at(node.a), width);
      case BoundOp::Either:
        return wrapped(
            narrower(hull(signed_at(node.a), signed_at(node.b)), hull(unsigned_at(node.a), unsigned_at(node.b))),
            width);
      case BoundOp::StepsBelow:
      case BoundOp::StepsAbove:
      case BoundOp::StepsUnequal: return one(i128{steps(node)});
      case BoundOp::Sum: return one(i128{saturating_add(count_at(node.a), count_at(node.b))});
      case BoundOp::Product: return one(i128{saturating_mul(count_at(node.a), count_at(node.b))});
      case BoundOp::Least: return one(i128{std::min(count_at(node.a), count_at(node.b))});
    }
    return any(width);
  }

  [[nodiscard]] Interval parameter(const BoundNode& node) const noexcept {
    const std::size_t bytes = node.width / 8U;
    if (node.value > facts_.params.size() || bytes > facts_.params.size() - node.value) return any(node.width);
    std::uint64_t bits = 0;
    std::memcpy(&bits, facts_.params.data() + node.value, bytes);
    return one(i128{bits});
  }

  [[nodiscard]] Interval quotient(const BoundNode& node) const noexcept {
    const bool has_sign = node.op == BoundOp::DivideSigned || node.op == BoundOp::RestSigned;
    const Interval a = read(node.a, has_sign);
    const Interval b = read(node.b, has_sign);
    if (b.lo < 1) return any(node.width);
    if (node.op == BoundOp::DivideUnsigned || node.op == BoundOp::DivideSigned) {
      return wrapped(divide(a, b, false), node.width);
    }
    if (a.lo < 0) return any(node.width);
    if (a.is_one() && b.is_one()) return one(a.lo % b.lo);
    return {.lo = 0, .hi = std::min(a.hi, b.hi - 1)};
  }

  [[nodiscard]] Interval shifted(const BoundNode& node) const noexcept {
    const Interval by = unsigned_at(node.b);
    if (by.hi >= i128{node.width}) return any(node.width);  // Of shifts beyond the width no result is defined.
    const Interval powers{.lo = power(static_cast<std::uint32_t>(by.lo)),
                          .hi = power(static_cast<std::uint32_t>(by.hi))};
    if (node.op == BoundOp::ShiftLeft) return multiply(narrower_at(node.a), powers, node.width);
    return wrapped(divide(read(node.a, node.op == BoundOp::ShiftRightSigned), powers, true), node.width);
  }

  [[nodiscard]] Interval bits(const BoundNode& node) const noexcept {
    const Interval a = unsigned_at(node.a);
    const Interval b = unsigned_at(node.b);
    if (a.is_one() && b.is_one()) {
      const auto x = static_cast<std::uint64_t>(a.lo);
      const auto y = static_cast<std::uint64_t>(b.lo);
      return one(i128{node.op == BoundOp::And ? x & y : node.op == BoundOp::Or ? x | y : x ^ y});
    }
    if (node.op == BoundOp::And) return {.lo = 0, .hi = std::min(a.hi, b.hi)};
    return {.lo = node.op == BoundOp::Or ? std::max(a.lo, b.lo) : 0, .hi = filled(std::max(a.hi, b.hi))};
  }

  [[nodiscard]] Interval extreme(const BoundNode& node) const noexcept {
    const bool has_sign = node.op == BoundOp::MinSigned || node.op == BoundOp::MaxSigned;
    const bool is_min = node.op == BoundOp::MinUnsigned || node.op == BoundOp::MinSigned;
    const Interval a = read(node.a, has_sign);
    const Interval b = read(node.b, has_sign);
    return wrapped(is_min ? Interval{.lo = std::min(a.lo, b.lo), .hi = std::min(a.hi, b.hi)}
                          : Interval{.lo = std::max(a.lo, b.lo), .hi = std::max(a.hi, b.hi)},
                   node.width);
  }

  [[nodiscard]] std::uint64_t steps(const BoundNode& node) const noexcept {
    const std::uint32_t width = nodes_[node.a].width;
    const bool has_sign = (node.value & BoundNode::kSigned) != 0;
    const i128 more = (node.value & BoundNode::kOrEqual) != 0 ? 1 : 0;
    const Interval first = read(node.a, has_sign);
    const Interval step = signed_at(node.b);
    const Interval limit = read(node.c, has_sign);
    if (node.op == BoundOp::StepsBelow) {
      const i128 largest = has_sign ? power(width - 1) - 1 : power(width) - 1;
      return count_steps(first, step, {.lo = limit.lo + more, .hi = limit.hi + more}, largest);
    }
    if (node.op == BoundOp::StepsAbove) {
      const i128 smallest = has_sign ? -power(width - 1) : 0;
      const Interval end = negated(limit);
      return count_steps(negated(first), negated(step), {.lo = end.lo + more, .hi = end.hi + more}, -smallest);
    }
    return steps_to(step, limit, first, width);
  }

  /// The steps until a counter is `limit`, which it may come to by wrapping round.
  static std::uint64_t steps_to(const Interval& step, const Interval& limit, const Interval& first,
                                std::uint32_t width) noexcept {
    const bool is_up = step.lo > 0;
    const Interval way{.lo = limit.lo - first.hi, .hi = limit.hi - first.lo};
    const Interval distance = as_unsigned(wrapped(is_up ? way : negated(way), width), width);
    if (distance.hi == 0) return 0;
    if (!step.is_one() || step.lo == 0) return kUnbounded;
    const i128 each = is_up ? step.lo : -step.lo;
    // Steps of more than one may pass over the limit.
    if (each != 1 && (!distance.is_one() || distance.lo % each != 0)) return kUnbounded;
    return static_cast<std::uint64_t>(distance.hi / each);
  }

  std::span<const BoundNode> nodes_;
  const DispatchFacts& facts_;
  std::array<Interval, kMostBoundNodes> values_;
};

std::size_t operands_of(BoundOp op) noexcept {
  if (op <= BoundOp::BelowGroups) return 0;
  switch (op) {
    case BoundOp::Not:
    case BoundOp::Negate:
    case BoundOp::Widen:
    case BoundOp::WidenSigned: return 1;
    case BoundOp::StepsBelow:
    case BoundOp::StepsAbove:
    case BoundOp::StepsUnequal: return 3;
    default: return 2;
  }
}

/// Writes a bound as people write it.
class Text {
 public:
  Text(const Bound& bound, const PushConstants* parameters) noexcept : bound_{bound}, parameters_{parameters} {}

  [[nodiscard]] std::string of(std::size_t index, int depth) {
    constexpr int kDeepest = 10;
    if (depth > kDeepest) is_too_long = true;
    if (is_too_long) return {};
    const BoundNode& node = bound_.nodes[index];
    const auto operand = [&](std::uint16_t at) { return of(at, depth + 1); };
    const auto join = [&](std::string_view between) {
      return fmt::format("({} {} {})", operand(node.a), between, operand(node.b));
    };
    const auto call = [&](std::string_view name) {
      return fmt::format("{}({}, {})", name, operand(node.a), operand(node.b));
    };
    constexpr std::string_view kDimensions = "xyz";
    switch (node.op) {
      case BoundOp::Constant: return number(node);
      case BoundOp::Any: return "any";
      case BoundOp::Parameter: return parameter(node);
      case BoundOp::Groups: return fmt::format("groups.{}", kDimensions[node.value]);
      case BoundOp::Below: return fmt::format("{}", node.value - 1);
      case BoundOp::BelowGroups:
        return node.value == 1 ? fmt::format("(groups.{} - 1)", kDimensions[node.a])
                               : fmt::format("(groups.{} * {} - 1)", kDimensions[node.a], node.value);
      case BoundOp::Add: return join("+");
      case BoundOp::Subtract: return join("-");
      case BoundOp::Multiply:
      case BoundOp::Product: return join("*");
      case BoundOp::Sum: return join("+");
      case BoundOp::DivideUnsigned:
      case BoundOp::DivideSigned: return join("/");
      case BoundOp::RestUnsigned:
      case BoundOp::RestSigned: return join("%");
      case BoundOp::ShiftLeft: return join("<<");
      case BoundOp::ShiftRight:
      case BoundOp::ShiftRightSigned: return join(">>");
      case BoundOp::And: return join("&");
      case BoundOp::Or: return join("|");
      case BoundOp::Xor: return join("^");
      case BoundOp::Not: return "~" + operand(node.a);
      case BoundOp::Negate: return "-" + operand(node.a);
      case BoundOp::MinUnsigned:
      case BoundOp::MinSigned:
      case BoundOp::Least: return call("min");
      case BoundOp::MaxUnsigned:
      case BoundOp::MaxSigned: return call("max");
      case BoundOp::Widen:
      case BoundOp::WidenSigned: return operand(node.a);
      case BoundOp::Either: return call("either");
      case BoundOp::StepsBelow: return steps(node, node.a, node.c, depth);
      case BoundOp::StepsAbove: return steps(node, node.c, node.a, depth);
      case BoundOp::StepsUnequal: return fmt::format("distance({}, {})", operand(node.a), operand(node.c));
    }
    return "any";
  }

  bool is_too_long = false;

 private:
  static std::string number(const BoundNode& node) {
    const bool is_negative = node.width < 64 && (node.value >> (node.width - 1U) & 1U) != 0;
    return is_negative ? fmt::format("-{}", (std::uint64_t{1} << node.width) - node.value)
                       : fmt::format("{}", node.value);
  }

  [[nodiscard]] std::string parameter(const BoundNode& node) const {
    if (parameters_ != nullptr) {
      for (const Member& member : parameters_->members) {
        const std::uint64_t within = node.value - member.offset;
        if (node.value < member.offset || within >= member.size || member.name.empty()) continue;
        return within == 0 ? member.name : fmt::format("{}@{}", member.name, within);
      }
    }
    return fmt::format("parameter@{}", node.value);
  }

  /// From the lower end to the upper one.
  [[nodiscard]] std::string steps(const BoundNode& node, std::uint16_t from, std::uint16_t to, int depth) {
    // Of a range that begins at zero, the first has the longest way.
    const BoundNode& first = bound_.nodes[from];
    const bool is_from_zero = (first.op == BoundOp::Constant && first.value == 0) || first.op == BoundOp::Below ||
                              first.op == BoundOp::BelowGroups;
    std::string way = of(to, depth + 1);
    if (!is_from_zero) way = fmt::format("({} - {})", way, of(from, depth + 1));
    if ((node.value & BoundNode::kOrEqual) != 0) way = fmt::format("({} + 1)", way);
    const BoundNode& step = bound_.nodes[node.b];
    std::string each = of(node.b, depth + 1);
    if (step.op == BoundOp::Constant && each.starts_with('-')) each.erase(0, 1);
    return each == "1" ? way : fmt::format("ceil({} / {})", way, each);
  }

  const Bound& bound_;
  const PushConstants* parameters_;
};

}  // namespace

std::uint64_t evaluate(const Bound& bound, const DispatchFacts& facts) noexcept {
  if (const auto known = constant_of(bound)) return *known;
  if (bound.nodes.size() > kMostBoundNodes) return kUnbounded;
  return static_cast<std::uint64_t>(as_unsigned(Evaluation{bound.nodes, facts}.run(), bound.nodes.back().width).hi);
}

std::optional<std::uint64_t> constant_of(const Bound& bound) noexcept {
  if (bound.nodes.empty()) return 0;
  const BoundNode& last = bound.nodes.back();
  return last.op == BoundOp::Constant ? std::optional{last.value} : std::nullopt;
}

std::string to_text(const Bound& bound, const PushConstants* parameters) {
  if (bound.nodes.empty()) return "0";
  constexpr std::size_t kLongest = 160;
  Text text{bound, parameters};
  std::string all = text.of(bound.nodes.size() - 1, 0);
  if (text.is_too_long || all.size() > kLongest) return fmt::format("an expression of {} parts", bound.nodes.size());
  return all;
}

BoundWriter::Index BoundWriter::add(const BoundNode& node) {
  if (is_full_) return 0;
  const std::uint64_t fields = std::uint64_t{node.a} | std::uint64_t{node.b} << 16 | std::uint64_t{node.c} << 32 |
                               std::uint64_t{node.width} << 48 | static_cast<std::uint64_t>(node.op) << 56;
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  const std::uint64_t hash = (fields * kOdd) ^ std::rotl((node.value + 1) * kOdd, 31);
  const auto found = places_.find(hash);
  if (found != places_.end() && nodes_[found->second] == node) return found->second;
  if (nodes_.size() >= kMostNodes) {
    is_full_ = true;
    return 0;
  }
  nodes_.push_back(node);
  const auto index = static_cast<Index>(nodes_.size() - 1);
  places_.emplace(hash, index);
  return index;
}

BoundWriter::Index BoundWriter::constant(std::uint64_t bits, std::uint32_t width) {
  const std::uint64_t cut = width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  return add({.op = BoundOp::Constant, .width = static_cast<std::uint8_t>(width), .value = cut});
}

BoundWriter::Index BoundWriter::any(std::uint32_t width) {
  return add({.op = BoundOp::Any, .width = static_cast<std::uint8_t>(width)});
}

BoundWriter::Index BoundWriter::parameter(std::uint64_t offset, std::uint32_t width) {
  return add({.op = BoundOp::Parameter, .width = static_cast<std::uint8_t>(width), .value = offset});
}

BoundWriter::Index BoundWriter::groups(std::uint32_t dimension) {
  return add({.op = BoundOp::Groups, .width = 32, .value = dimension});
}

BoundWriter::Index BoundWriter::below(std::uint64_t count) {
  return count <= 1 ? constant(0, 32) : add({.op = BoundOp::Below, .width = 32, .value = count});
}

BoundWriter::Index BoundWriter::below_groups(std::uint32_t dimension, std::uint64_t each) {
  return add({.op = BoundOp::BelowGroups, .width = 32, .a = static_cast<std::uint16_t>(dimension), .value = each});
}

BoundWriter::Index BoundWriter::operation(BoundOp op, std::uint32_t width, std::array<Index, 3> operands,
                                          std::uint64_t value) {
  BoundNode node{.op = op,
                 .width = static_cast<std::uint8_t>(width),
                 .a = operands[0],
                 .b = operands[1],
                 .c = operands[2],
                 .value = value};
  const std::size_t count = operands_of(op);
  const auto is_constant = [&](Index operand) { return nodes_[operand].op == BoundOp::Constant; };
  if (is_full_ || !std::ranges::all_of(std::span{operands}.first(count), is_constant)) return add(node);
  // Operations on constants are evaluated at once.
  std::array<BoundNode, 4> alone = {};
  for (std::size_t i = 0; i < count; ++i) alone[i] = nodes_[operands[i]];
  alone[count] = node;
  alone[count].a = 0;
  alone[count].b = 1;
  alone[count].c = 2;
  const DispatchFacts none;
  const Interval result = Evaluation{std::span{alone}.first(count + 1), none}.run();
  return result.is_one() ? constant(static_cast<std::uint64_t>(result.lo), width) : add(node);
}

BoundWriter::Index BoundWriter::sum(Index a, Index b) {
  if (constant_of(a) == 0U) return b;
  if (constant_of(b) == 0U) return a;
  return operation(BoundOp::Sum, 64, {a, b});
}

BoundWriter::Index BoundWriter::product(Index a, Index b) {
  if (constant_of(a) == 1U) return b;
  if (constant_of(b) == 1U) return a;
  return operation(BoundOp::Product, 64, {a, b});
}

BoundWriter::Index BoundWriter::least(Index a, Index b) { return a == b ? a : operation(BoundOp::Least, 64, {a, b}); }

std::optional<std::uint64_t> BoundWriter::constant_of(Index index) const noexcept {
  const BoundNode& node = nodes_[index];
  return node.op == BoundOp::Constant ? std::optional{node.value} : std::nullopt;
}

std::optional<Bound> BoundWriter::finish(Index index) const {
  if (is_full_ || index >= nodes_.size()) return std::nullopt;
  std::vector<bool> is_needed(nodes_.size(), false);
  is_needed[index] = true;
  for (std::size_t i = index + std::size_t{1}; i-- > 0;) {
    if (!is_needed[i]) continue;
    const std::array operands = {nodes_[i].a, nodes_[i].b, nodes_[i].c};
    for (std::size_t j = 0; j < operands_of(nodes_[i].op); ++j) is_needed[operands[j]] = true;
  }
  Bound bound;
  std::vector<Index> places(nodes_.size());
  for (std::size_t i = 0; i <= index; ++i) {
    if (!is_needed[i]) continue;
    BoundNode node = nodes_[i];
    const std::size_t operands = operands_of(node.op);
    if (operands > 0) node.a = places[node.a];
    node.b = operands > 1 ? places[node.b] : Index{0};
    node.c = operands > 2 ? places[node.c] : Index{0};
    places[i] = static_cast<Index>(bound.nodes.size());
    bound.nodes.push_back(node);
  }
  if (bound.nodes.size() > kMostBoundNodes || !bounds_something(bound)) return std::nullopt;
  const auto reads_dispatch = [](const BoundNode& node) {
    return node.op == BoundOp::Parameter || node.op == BoundOp::Groups || node.op == BoundOp::BelowGroups;
  };
  if (std::ranges::any_of(bound.nodes, reads_dispatch)) return bound;
  return Bound{.nodes = {{.op = BoundOp::Constant, .width = 64, .value = evaluate(bound, {})}}};
}

bool BoundWriter::bounds_something(const Bound& bound) {
  if (const auto known = program::constant_of(bound)) return *known != kUnbounded;
  // Parameters of these values, as far as any bound reads them.
  constexpr std::size_t kMostBytes = 1024;
  constexpr std::uint64_t kFar = std::uint64_t{1} << 31;
  std::array<std::byte, kMostBytes> params;
  for (const std::uint32_t tried : {1U, 0U, 64U, ~0U}) {
    for (std::size_t at = 0; at < params.size(); at += sizeof(tried)) {
      std::memcpy(params.data() + at, &tried, sizeof(tried));
    }
    if (evaluate(bound, {.params = params}) < kFar) return true;
  }
  return false;
}

}  // namespace vyre::program
