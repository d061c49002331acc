#include <bit>
#include <cstring>

#include <vyre/program/spirv/module.hpp>

namespace vyre::program::spirv::detail {
namespace {

/// The number of words of a literal string with its terminator; 0 if it has no terminator.
std::size_t string_words(std::span<const std::uint32_t> words) noexcept {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t word = words[i];
    const bool has_zero_byte = ((word - 0x0101'0101U) & ~word & 0x8080'8080U) != 0;
    if (has_zero_byte) return i + 1;
  }
  return 0;
}

}  // namespace

OperandReader::OperandReader(const Instruction& instruction, bool wide_literals) noexcept
    : rest_{instruction.words().subspan(1)}, wide_literals_{wide_literals} {
  failed_ = !push(instruction.info().operands());
}

bool OperandReader::push(std::span<const OperandSpec> specs) noexcept {
  if (specs.empty()) return true;
  if (depth_ == kMaxFrames) return false;
  frames_[depth_++] = {specs.data(), specs.data() + specs.size()};
  return true;
}

bool OperandReader::next(Operand& operand) noexcept {
  if (failed_) return false;
  if (in_pair_) {
    in_pair_ = false;
    failed_ = !take(pair_second_, operand);
    return !failed_;
  }
  while (depth_ > 0) {
    Frame& frame = frames_[depth_ - 1];
    if (frame.next == frame.end) {
      --depth_;
      continue;
    }
    const OperandSpec spec = *frame.next;
    if (spec.quantifier != Quantifier::One && rest_.empty()) {
      ++frame.next;
      continue;
    }
    if (spec.quantifier != Quantifier::Any) ++frame.next;
    failed_ = !take(spec.kind, operand);
    return !failed_;
  }
  return false;
}

bool OperandReader::take(OperandKind kind, Operand& operand) noexcept {
  std::size_t count = 1;
  switch (kind) {
    case OperandKind::LiteralString: count = string_words(rest_); break;
    case OperandKind::LiteralContextDependentNumber: count = rest_.size(); break;
    case OperandKind::PairIdRefIdRef:
      kind = pair_second_ = OperandKind::IdRef;
      in_pair_ = true;
      break;
    case OperandKind::PairIdRefLiteralInteger:
      kind = OperandKind::IdRef;
      pair_second_ = OperandKind::LiteralInteger;
      in_pair_ = true;
      break;
    case OperandKind::PairLiteralIntegerIdRef:
      kind = OperandKind::LiteralInteger;
      pair_second_ = OperandKind::IdRef;
      in_pair_ = true;
      count = wide_literals_ ? 2 : 1;
      break;
    default: break;
  }
  if (count == 0 || rest_.size() < count) return false;
  operand = {.kind = kind, .words = rest_.first(count)};
  rest_ = rest_.subspan(count);

  const std::uint32_t value = operand.words[0];
  if (kind == OperandKind::LiteralSpecConstantOpInteger) {
    const OpcodeInfo* info = find_opcode(value);
    if (info == nullptr || !info->has_type || !info->has_result) return false;
    return push(info->operands().subspan(2));
  }
  if (category(kind) == OperandCategory::ValueEnum) return push(enumerant_parameters(kind, value));
  if (category(kind) == OperandCategory::BitEnum) {
    // Parameters are in the order of their bits, lowest first, so the frames of low bits go on top of the stack.
    for (std::uint32_t bits = value; bits != 0;) {
      const std::uint32_t bit = std::bit_floor(bits);
      bits &= ~bit;
      if (!push(enumerant_parameters(kind, bit))) return false;
    }
  }
  return true;
}

bool OperandReader::is_complete() const noexcept { return !failed_ && !in_pair_ && rest_.empty(); }

}  // namespace vyre::program::spirv::detail
