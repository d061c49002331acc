#include <vyre/program/forms/ldexp.hpp>

#include <map>
#include <set>
#include <span>
#include <utility>

#include <spirv/unified1/GLSL.std.450.h>

#include <vyre/program/forms/module_writer.hpp>
#include <vyre/program/spirv/header.hpp>

namespace vyre::program {
namespace {

using forms::emit;
using forms::Id;
using forms::Words;
using spirv::Instruction;
using spirv::Module;

/// With a larger exponent every result is zero or infinite: those of doubles go from -1,074 to 1,023.
constexpr std::uint32_t kMostExponent = 4'096;

class LdexpNarrower {
 public:
  explicit LdexpNarrower(const Module& module) : module_{module}, bound_{module.id_bound()} {}

  std::optional<Words> narrow() {
    find_imports();
    Words body;
    bool has_changed = false;
    for (std::size_t i = module_.global_count(); i < module_.size(); ++i) {
      const Instruction each = module_[i];
      const auto exponent = each.op() == spv::OpExtInst ? other_exponent(each) : std::nullopt;
      if (exponent) {
        const Id narrow = narrowed(each.operand(0), each.operand(3), *exponent, body);
        const std::size_t at = body.size();
        body.insert(body.end(), each.words().begin(), each.words().end());
        body[at + 6] = narrow;
        has_changed = true;
      } else {
        body.insert(body.end(), each.words().begin(), each.words().end());
      }
    }
    if (!has_changed) return std::nullopt;
    Words words = module_.write();
    std::size_t globals = spirv::kHeaderWords;
    for (std::size_t i = 0; i < module_.global_count(); ++i) globals += module_[i].words().size();
    words.resize(globals);
    words[3] = bound_;
    words.insert(words.end(), made_.begin(), made_.end());
    words.insert(words.end(), body.begin(), body.end());
    return words;
  }

 private:
  /// The type of an exponent: an integer or a vector of integers.
  struct Exponent {
    std::uint32_t width = 32;
    bool is_signed = true;
    std::uint32_t count = 1;
    Id type = 0;
  };

  void find_imports() {
    for (std::size_t i = 0; i < module_.global_count(); ++i) {
      const Instruction each = module_[i];
      if (each.op() == spv::OpExtInstImport && each.string(0) == "GLSL.std.450") imports_.insert(each.result());
      if (each.op() == spv::OpTypeInt) globals_.emplace(key(each.op(), 0, each.operands()), each.result());
      if (each.op() == spv::OpTypeVector) globals_.emplace(key(each.op(), 0, each.operands()), each.result());
    }
  }

  /// The exponent of an instruction, if it is an `Ldexp` and the exponent does not have 32 bits.
  [[nodiscard]] std::optional<Exponent> other_exponent(const Instruction& each) const {
    if (!imports_.contains(each.operand(0)) || each.operand(1) != GLSLstd450Ldexp) return std::nullopt;
    Exponent exponent{.type = module_.type_of(each.operand(3))};
    auto type = module_.definition(exponent.type);
    if (type && type->op() == spv::OpTypeVector) {
      exponent.count = type->operand(1);
      type = module_.definition(type->operand(0));
    }
    if (!type || type->op() != spv::OpTypeInt || type->operand(0) == 32) return std::nullopt;
    exponent.width = type->operand(0);
    exponent.is_signed = type->operand(1) != 0;
    return exponent;
  }

  [[nodiscard]] Id narrowed(Id imports, Id value, const Exponent& from, Words& body) {
    if (from.width > 32) {
      const bool is_signed = from.is_signed;
      const std::uint64_t most = kMostExponent;
      const Id low = constant(from, is_signed ? 0 - most : 0);
      const Id clamped = bound_++;
      emit(body, spv::OpExtInst,
           {from.type, clamped, imports, static_cast<std::uint32_t>(is_signed ? GLSLstd450SClamp : GLSLstd450UClamp),
            value, low, constant(from, most)});
      value = clamped;
    }
    Id to = global(spv::OpTypeInt, 0, {32, from.is_signed ? 1U : 0U});
    if (from.count > 1) to = global(spv::OpTypeVector, 0, {to, from.count});
    const Id narrow = bound_++;
    emit(body, from.is_signed ? spv::OpSConvert : spv::OpUConvert, {to, narrow, value});
    return narrow;
  }

  /// A constant of the exponent's type, with this value in each component.
  [[nodiscard]] Id constant(const Exponent& of, std::uint64_t bits) {
    const auto vector = module_.definition(of.type);
    const Id scalar_type = of.count > 1 ? vector->operand(0) : of.type;
    const Id scalar = global(spv::OpConstant, scalar_type,
                             {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
    return of.count > 1 ? global(spv::OpConstantComposite, of.type, Words(of.count, scalar)) : scalar;
  }

  static Words key(spv::Op op, Id type, std::span<const std::uint32_t> operands) {
    Words words{static_cast<std::uint32_t>(op), type};
    words.insert(words.end(), operands.begin(), operands.end());
    return words;
  }

  /// The id of a type or constant, which is made if the module does not have it.
  [[nodiscard]] Id global(spv::Op op, Id type, const Words& operands) {
    const auto [known, is_new] = globals_.try_emplace(key(op, type, operands), 0);
    if (!is_new) return known->second;
    Words all;
    if (type != 0) all.push_back(type);
    all.push_back(bound_);
    all.insert(all.end(), operands.begin(), operands.end());
    emit(made_, op, all);
    return known->second = bound_++;
  }

  const Module& module_;
  std::uint32_t bound_;
  std::set<Id> imports_;
  std::map<Words, Id> globals_;
  Words made_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> narrow_ldexp(const Module& module) { return LdexpNarrower{module}.narrow(); }

}  // namespace vyre::program
