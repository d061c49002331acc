#include <vyre/program/glsl/tree.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>

// glslang is built without run-time type information, which this sanitizer would need.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("vptr"))), apply_to = function)
#endif

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

namespace vyre::program {
namespace {

using glslang::TType;

class TreeWeight final : public glslang::TIntermTraverser {
 public:
  explicit TreeWeight(std::string_view file) : file_{file} {}

  bool visitAggregate(glslang::TVisit, glslang::TIntermAggregate* node) override {
    switch (node->getOp()) {
      case glslang::EOpFunction:
        caller_ = &functions_[node->getName().c_str()];
        caller_->place = place(node);
        break;
      case glslang::EOpFunctionCall:
        if (caller_ != nullptr) caller_->calls.insert(node->getName().c_str());
        handle(node, node->getType());
        for (TIntermNode* argument : node->getSequence()) handle_value(argument);
        break;
      case glslang::EOpSequence:
      case glslang::EOpParameters:
      case glslang::EOpLinkerObjects: break;
      default: handle(node, node->getType());
    }
    return !error_;
  }

  bool visitBinary(glslang::TVisit, glslang::TIntermBinary* node) override {
    switch (node->getOp()) {
      case glslang::EOpIndexDirect:
      case glslang::EOpIndexIndirect:
      case glslang::EOpIndexDirectStruct:
      case glslang::EOpVectorSwizzle:
      case glslang::EOpMatrixSwizzle: break;
      default: handle(node, node->getLeft()->getType());
    }
    return !error_;
  }

  bool visitUnary(glslang::TVisit, glslang::TIntermUnary* node) override {
    handle(node, node->getType());
    return !error_;
  }

  bool visitSelection(glslang::TVisit, glslang::TIntermSelection* node) override {
    handle(node, node->getType());
    return !error_;
  }

  bool visitBranch(glslang::TVisit, glslang::TIntermBranch* node) override {
    if (node->getExpression() != nullptr) handle_value(node->getExpression());
    return !error_;
  }

  bool visitLoop(glslang::TVisit, glslang::TIntermLoop*) override { return !error_; }
  bool visitSwitch(glslang::TVisit, glslang::TIntermSwitch*) override { return !error_; }

  void visitConstantUnion(glslang::TIntermConstantUnion* node) override { use_constant(node, node->getConstArray()); }

  void visitSymbol(glslang::TIntermSymbol* node) override { use_constant(node, node->getConstArray()); }

  /// The first mistake found while walking the tree; otherwise the result of checking the calls.
  Result<void> result() {
    if (error_) return std::unexpected{*std::move(error_)};
    std::uint64_t ways = 0;
    std::uint64_t calls = 0;
    for (auto& [name, function] : functions_) {
      VYRE_TRY(count_ways(name, function));
      ways = saturating_add(ways, function.ways);
      calls += function.calls.size();
    }
    if (const std::uint64_t steps = saturating_mul(ways, calls); steps > kMaxGlslCallSteps) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: there are {} ways through {} calls, their product has the limit {}", file_, ways,
                              calls, kMaxGlslCallSteps));
    }
    return {};
  }

 private:
  struct Function {
    std::string place = {};
    std::set<std::string> calls = {};
    std::uint64_t ways = 0;
    bool is_open = false;
  };

  std::string place(TIntermNode* node) const {
    const glslang::TSourceLoc& at = node->getLoc();
    return fmt::format("{}:{}", at.name != nullptr ? std::string_view{*at.name} : file_, at.line);
  }

  void refuse(TIntermNode* node, std::string message) {
    if (!error_) {
      error_ = Error{.code = ErrorCode::InvalidArgument, .message = fmt::format("{}: {}", place(node), message)};
    }
  }

  std::uint64_t elements(const TType& type) {
    std::uint64_t count = 1;
    if (type.isStruct() && type.getStruct() != nullptr) {
      const auto [known, is_new] = structures_.try_emplace(type.getStruct(), 1);
      if (is_new) {
        std::uint64_t sum = 0;
        for (const glslang::TTypeLoc& member : *type.getStruct()) sum = saturating_add(sum, elements(*member.type));
        structures_[type.getStruct()] = sum;
        count = sum;
      } else {
        count = known->second;
      }
    }
    if (const glslang::TArraySizes* sizes = type.getArraySizes(); sizes != nullptr) {
      for (int i = 0; i < sizes->getNumDims(); ++i) {
        count = saturating_mul(count, static_cast<std::uint64_t>(std::max(sizes->getDimSize(i), 1)));
      }
    }
    return count;
  }

  void handle(TIntermNode* node, const TType& type) {
    if (!type.isArray() && !type.isStruct()) return;
    elements_ = saturating_add(elements_, elements(type));
    if (elements_ > kMaxGlslElements) {
      refuse(node, fmt::format("operations on whole arrays and structures handle {} elements, the limit is {} in all",
                               elements_, kMaxGlslElements));
    }
  }

  void handle_value(TIntermNode* node) {
    if (const glslang::TIntermTyped* typed = node->getAsTyped(); typed != nullptr) handle(node, typed->getType());
  }

  void use_constant(TIntermNode* node, const glslang::TConstUnionArray& array) {
    if (array.size() <= 0 || error_) return;
    const auto size = static_cast<std::uint64_t>(array.size());
    if (size > kMaxGlslCompositeElements) {
      refuse(node, fmt::format("a constant has {} elements, the limit is {}", size, kMaxGlslCompositeElements));
      return;
    }
    constant_uses_ = saturating_add(constant_uses_, size);
    if (constant_uses_ > kMaxGlslConstantUses) {
      refuse(node, fmt::format("constants are used {} elements at a time, the limit is {} in all", constant_uses_,
                               kMaxGlslConstantUses));
      return;
    }
    if (!arrays_.insert(&array[0]).second) return;
    for (std::size_t i = 0; i < size; ++i) constants_.insert(bits(array[i]));
    if (constants_.size() > kMaxGlslConstants) {
      refuse(node,
             fmt::format("there are {} different constants, the limit is {}", constants_.size(), kMaxGlslConstants));
    }
  }

  static std::uint64_t bits(const glslang::TConstUnion& value) {
    switch (value.getType()) {
      case glslang::EbtFloat:
      case glslang::EbtFloat16:
      case glslang::EbtDouble: return std::bit_cast<std::uint64_t>(value.getDConst());
      case glslang::EbtBool: return value.getBConst() ? 1 : 0;
      case glslang::EbtInt64:
      case glslang::EbtUint64: return value.getU64Const();
      case glslang::EbtInt16:
      case glslang::EbtUint16: return value.getU16Const();
      case glslang::EbtInt8:
      case glslang::EbtUint8: return value.getU8Const();
      default: return value.getUConst();
    }
  }

  Result<void> count_ways(const std::string& name, Function& function) {
    if (function.ways != 0) return {};
    if (function.is_open) {
      return fail(ErrorCode::CompileFailed, fmt::format("{}: function '{}' calls itself, which GLSL does not allow",
                                                        function.place, name.substr(0, name.find('('))));
    }
    function.is_open = true;
    std::uint64_t ways = 1;
    for (const std::string& call : function.calls) {
      const auto callee = functions_.find(call);
      if (callee == functions_.end()) continue;
      VYRE_TRY(count_ways(callee->first, callee->second));
      ways = saturating_add(ways, callee->second.ways);
    }
    function.ways = ways;
    function.is_open = false;
    return {};
  }

  std::string_view file_;
  std::optional<Error> error_;
  std::map<std::string, Function> functions_;
  Function* caller_ = nullptr;
  std::unordered_map<const glslang::TTypeList*, std::uint64_t> structures_;
  std::unordered_set<const glslang::TConstUnion*> arrays_;
  std::unordered_set<std::uint64_t> constants_;
  std::uint64_t elements_ = 0;
  std::uint64_t constant_uses_ = 0;
};

}  // namespace

Result<void> check_glsl_tree(const glslang::TIntermediate& tree, std::string_view file) {
  TreeWeight weight{file};
  if (TIntermNode* root = tree.getTreeRoot(); root != nullptr) root->traverse(&weight);
  return weight.result();
}

}  // namespace vyre::program

#if defined(__clang__)
#pragma clang attribute pop
#endif
