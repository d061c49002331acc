#include <vyre/program/forms/pointer_rewriter.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Function;
using spirv::Instruction;
using spirv::is_access_chain;
using spirv::is_atomic;

}  // namespace

PointerRewriter::PointerRewriter(const RewriteContext& in)
    : facts_{in.facts},
      module_{in.facts.module},
      options_{in.options},
      writer_{in.writer},
      sizes_{in},
      body_{in},
      code_{body_.code},
      record_{in, sizes_, body_},
      globals_{in},
      loops_{in, record_, body_},
      offsets_{in, sizes_, record_.types(), body_},
      bounds_{in, sizes_, record_, body_},
      places_{in, sizes_, record_, bounds_, loops_, offsets_, body_},
      accesses_{in, sizes_, record_, bounds_, loops_, places_, body_} {}

Result<void> PointerRewriter::write_functions(Id body) {
  for (const Function* function : facts_.functions) {
    for (std::size_t i = function->begin; i < function->end; ++i) {
      const Instruction access = module_[i];
      const bool copies = access.op() == spv::OpCopyMemory;
      if (!copies && access.op() != spv::OpStore && access.op() != spv::OpLoad) continue;
      for (const Id pointer : access.operands().first(copies ? 2 : 1)) {
        if (facts_.is_buffer_pointer(pointer)) places_.note_vectors(facts_.pointee(pointer));
      }
    }
  }
  for (const Function* function : facts_.functions) {
    VYRE_TRY(write_function(*function, function->id == facts_.entry.operand(1) ? body : function->id));
  }
  globals_.write_annotations();
  return {};
}

Result<void> PointerRewriter::write_function(const Function& function, Id id) {
  body_.begin(function);
  record_.begin_function();
  loops_.begin_function();
  bounds_.begin_function();
  places_.begin_function();
  if (function.blocks.empty()) return refuse("a function has no body");
  VYRE_TRY(offsets_.find_offsets(function));

  Words head;
  bool is_in_head = true;  // Whether the rewriter has not passed the variables at the beginning of the first block yet.
  if (id == function.id) globals_.keep(id);
  for (body_.at = function.begin; body_.at < function.end; ++body_.at) {
    const Instruction instruction = module_[body_.at];
    const spv::Op op = instruction.op();
    if (is_debug(op)) continue;
    if (instruction.result() != 0 && op != spv::OpFunction) globals_.keep(instruction.result());
    if (op == spv::OpFunction) {
      emit(head, op, {instruction.type(), id, instruction.operand(0), instruction.operand(1)});
      continue;
    }
    const bool belongs_to_head = op == spv::OpFunctionParameter || op == spv::OpVariable ||
                                 (op == spv::OpLabel && instruction.result() == function.blocks[0].label);
    if (op == spv::OpLabel) {
      body_.enter_block(instruction.result());
    }
    if (is_in_head && belongs_to_head) {
      if (op == spv::OpVariable && facts_.is_buffer_pointer(instruction.operand(1))) {
        return refuse("a variable begins as an address of a buffer");
      }
      writer_.copy(head, instruction);
      // Such pointers are declared to alias, so that the driver does not assume that nothing else points there.
      const bool is_pointer = op == spv::OpFunctionParameter && facts_.is_buffer_pointer(instruction.result());
      const Id pointee = facts_.pointee(instruction.result());
      const auto inner = module_.definition(pointee);
      const bool holds_pointer = op == spv::OpVariable && inner && inner->op() == spv::OpTypePointer;
      const auto says = [&](spv::Decoration kind) {
        return module_.decoration(instruction.result(), kind).has_value();
      };
      if (is_pointer && !says(spv::DecorationAliased) && !says(spv::DecorationRestrict)) {
        writer_.decorate(instruction.result(), spv::DecorationAliased);
      }
      if (holds_pointer) writer_.decorate(instruction.result(), spv::DecorationAliasedPointer);
      continue;
    }
    is_in_head = false;
    VYRE_TRY(rewrite(instruction));
  }
  body_.finish(head);
  return {};
}

Result<void> PointerRewriter::rewrite(const Instruction& instruction) {
  const bool is_element_chain = instruction.op() == spv::OpPtrAccessChain;
  if (is_element_chain && facts_.is_buffer_pointer(instruction.result()))
    return places_.rewrite_element_chain(instruction);
  VYRE_TRY(rewrite_plainly(instruction));
  return offsets_.contains(instruction.result()) ? offsets_.write_offset(instruction) : Result<void>{};
}

Result<void> PointerRewriter::rewrite_plainly(const Instruction& instruction) {
  const spv::Op op = instruction.op();
  const Id first = instruction.operand(0);
  const bool is_comparison = op == spv::OpPtrEqual || op == spv::OpPtrNotEqual || op == spv::OpPtrDiff;
  if (is_comparison && facts_.is_buffer_pointer(first)) return offsets_.rewrite_comparison(instruction);
  if (is_access_chain(op) && facts_.is_buffer_pointer(first)) return places_.rewrite_chain(instruction);
  if (is_access_chain(op) && globals_.is_replaced(first)) return rewrite_built_in_chain(instruction);
  if (op == spv::OpLoad && facts_.is_buffer_pointer(first)) return accesses_.rewrite_load(instruction);
  if (op == spv::OpStore && facts_.is_buffer_pointer(first)) return accesses_.rewrite_store(instruction);
  if (op == spv::OpCopyMemory &&
      (facts_.is_buffer_pointer(first) || facts_.is_buffer_pointer(instruction.operand(1)))) {
    return accesses_.rewrite_copy(instruction);
  }
  const bool is_changed_atomic = is_atomic(op) && (facts_.is_buffer_pointer(first) || options_.quirks.float_operands);
  if (is_changed_atomic) return accesses_.rewrite_atomic(instruction);
  if (op == spv::OpArrayLength) return rewrite_length(instruction);
  if (op == spv::OpExtInst) return rewrite_extended(instruction);
  if (op == spv::OpPhi) {
    for (std::size_t i = 1; i < instruction.operands().size(); i += 2) {
      body_.note_phi_label(code_.words.size() + 3 + i);
    }
  }
  bool has_pointers = false;
  for_each_used_id(module_, instruction, [&](Id id) { has_pointers = has_pointers || facts_.is_buffer_pointer(id); });
  if (has_pointers || facts_.is_buffer_pointer(instruction.result())) return copy_with_pointers(instruction);
  writer_.copy(code_.words, instruction);
  return {};
}

Result<void> PointerRewriter::copy_with_pointers(const Instruction& instruction) {
  switch (instruction.op()) {
    case spv::OpCopyObject: places_.set(instruction.result(), places_.place_of(instruction.operand(0))); break;
    case spv::OpSelect: VYRE_TRY(places_.select_view(instruction)); break;
    case spv::OpPhi:
    case spv::OpFunctionCall:
    case spv::OpReturnValue:
    case spv::OpStore:  // Stores a pointer as a value.
    case spv::OpLoad:
    case spv::OpUndef: break;
    default: return refuse(fmt::format("{} takes the address of a buffer", instruction.name()));
  }
  const std::size_t begin = code_.words.size();
  Words words(instruction.words().begin(), instruction.words().end());
  Result<void> result;
  std::size_t at = 1;
  for_each_operand(module_, instruction, [&](const spirv::Operand& operand) {
    const bool is_used = operand.is_id() && operand.kind != spirv::OperandKind::IdResult;
    if (result && is_used && facts_.is_buffer_pointer(operand.words[0])) {
      const Result<Id> pointer = places_.pointer_of(operand.words[0]);
      if (pointer) {
        words[at] = *pointer;
      } else {
        result = std::unexpected{pointer.error()};
      }
    }
    at += operand.words.size();
  });
  // Nothing can be written before a phi, so its operands must come from the prologue or an earlier block.
  if (code_.words.size() != begin && instruction.op() == spv::OpPhi) {
    return refuse("OpPhi takes the address of a buffer of an array of buffers");
  }
  code_.words.insert(code_.words.end(), words.begin(), words.end());
  return result;
}

Result<void> PointerRewriter::rewrite_built_in_chain(const Instruction& chain) {
  Words all{writer_.pointer_type(spv::StorageClassPrivate, facts_.pointee(chain.result())), chain.result()};
  all.insert(all.end(), chain.operands().begin(), chain.operands().end());
  emit(code_.words, chain.op(), all);
  return {};
}

Result<void> PointerRewriter::rewrite_length(const Instruction& length) {
  const Id pointer = length.operand(0);
  if (!facts_.is_buffer_pointer(pointer)) return refuse("OpArrayLength asks for the length of what is no buffer");
  const bool is_known = facts_.origins[pointer] != KernelFacts::kUnknown;
  const Result<Id> elements = is_known ? bounds_.length_of(places_.place_of(pointer)) : refuse("");
  if (!elements) return refuse("OpArrayLength asks for the length of a buffer that is not known");
  const bool is_same = length.type() == record_.types().uint;
  code_.named(is_same ? spv::OpCopyObject : spv::OpBitcast, length.type(), length.result(), {*elements});
  return {};
}

Result<void> PointerRewriter::rewrite_extended(const Instruction& instruction) {
  const auto set = module_.definition(instruction.operand(0));
  const std::string_view name = set ? set->string(0) : "";
  if (name.starts_with("NonSemantic.")) {
    globals_.drop(instruction.result());
    return {};
  }
  const bool has_pointer = std::ranges::any_of(instruction.operands().subspan(2),
                                               [&](Id operand) { return facts_.is_buffer_pointer(operand); });
  if (!has_pointer) {
    writer_.copy(code_.words, instruction);
    return {};
  }
  // These instructions return a second result through a pointer; each has a variant that returns both in a structure.
  const std::uint32_t which = instruction.operand(1);
  const bool is_known = name == "GLSL.std.450" && (which == GLSLstd450Modf || which == GLSLstd450Frexp);
  if (!is_known) return refuse("an extended instruction takes the address of a buffer");
  const Id pointer = instruction.operand(3);
  const Id second_type = facts_.pointee(pointer);
  const Id both_type = writer_.plain_struct_type({instruction.type(), second_type});
  const std::uint32_t sister = which == GLSLstd450Modf ? GLSLstd450ModfStruct : GLSLstd450FrexpStruct;
  const Id both = code_.value(spv::OpExtInst, both_type, {instruction.operand(0), sister, instruction.operand(2)});
  const Id second = code_.value(spv::OpCompositeExtract, second_type, {both, 1});
  VYRE_TRY(accesses_.store(pointer, second, second_type, {}));
  code_.named(spv::OpCompositeExtract, instruction.type(), instruction.result(), {both, 0});
  return {};
}

}  // namespace vyre::program::forms
