#include <vyre/program/forms/launcher.hpp>

#include <map>
#include <utility>
#include <vector>

namespace vyre::program::forms {
namespace {

/// The members of `Root`.
enum class RootMember : std::uint32_t { Records, Scratch, Map, First, Count, Row, Total, Zero };

class Launcher {
 public:
  Launcher(const KernelFacts& facts, const RecordAccess& record, const RecordTypes& types, const LaunchShape& shape,
           Id body, ModuleWriter& writer)
      : facts_{facts},
        access_{record},
        types_{types},
        shape_{shape},
        body_{body},
        writer_{writer},
        code_{writer},
        uint_{types.uint},
        bool_{writer.bool_type()},
        uint_variable_{writer.pointer_type(spv::StorageClassFunction, uint_)} {}

  void write() {
    make_root();
    const Id function_type = facts_.module.definition(facts_.entry.operand(1))->operand(1);
    Words head;
    emit(head, spv::OpFunction, {writer_.void_type(), facts_.entry.operand(1), 0, function_type});
    emit(head, spv::OpLabel, {writer_.fresh()});
    if (access_.state().scratch != 0) store(access_.state().scratch, root(RootMember::Scratch, types_.uvec2));
    if (access_.state().zero != 0) store(access_.state().zero, root(RootMember::Zero, uint_));
    switch (shape_.kind) {
      case FormKind::Merged: write_merged(); break;
      case FormKind::Persistent:
      case FormKind::Chain: write_turns(); break;
      default: enter_record(constant(0)); call();
    }
    code_.add(spv::OpReturn, {});
    code_.add(spv::OpFunctionEnd, {});
    // SPIR-V wants all variables at the beginning of a function.
    for (const Words* part : {static_cast<const Words*>(&head), static_cast<const Words*>(&variables_),
                              static_cast<const Words*>(&code_.words)}) {
      writer_.functions.insert(writer_.functions.end(), part->begin(), part->end());
    }
  }

 private:
  [[nodiscard]] Id constant(std::uint32_t value) { return writer_.constant(value); }
  [[nodiscard]] Id load(Id type, Id pointer) { return code_.value(spv::OpLoad, type, {pointer}); }
  void store(Id pointer, Id value) { code_.add(spv::OpStore, {pointer, value}); }
  [[nodiscard]] Id extract(Id vector, std::uint32_t component) {
    return code_.value(spv::OpCompositeExtract, uint_, {vector, component});
  }
  [[nodiscard]] Id uvec3(Id x, Id y, Id z) { return code_.value(spv::OpCompositeConstruct, types_.uvec3, {x, y, z}); }
  [[nodiscard]] Id counter() {
    const Id id = writer_.fresh();
    emit(variables_, spv::OpVariable, {uint_variable_, id, spv::StorageClassFunction});
    return id;
  }
  /// The variable of a built-in that the device sets. Has the given type unless the kernel has such a variable.
  [[nodiscard]] Id device_built_in(spv::BuiltIn which, Id type) {
    const auto found = facts_.built_ins.find(which);
    if (found != facts_.built_ins.end() && !shape_.sets(which)) return found->second;
    const Id id = writer_.variable(spv::StorageClassInput, type);
    writer_.decorate(id, spv::DecorationBuiltIn, {static_cast<std::uint32_t>(which)});
    return id;
  }
  /// Loads a built-in as `type`. The kernel may have declared its variable with signed integers.
  [[nodiscard]] Id load_built_in(Id variable, Id type) {
    const Id declared = facts_.pointee(variable);
    if (declared == 0 || declared == type) return load(type, variable);
    return code_.value(spv::OpBitcast, type, {load(declared, variable)});
  }
  /// The variable from which the kernel reads a built-in, if the launcher sets it; else 0.
  [[nodiscard]] Id kernel_built_in(spv::BuiltIn which) const {
    const auto found = facts_.built_ins.find(which);
    return found == facts_.built_ins.end() || !shape_.sets(which) ? 0 : found->second;
  }
  void store_built_in(Id variable, Id value, Id type) {
    const Id declared = facts_.pointee(variable);
    store(variable, declared == type ? value : code_.value(spv::OpBitcast, declared, {value}));
  }

  void make_root() {
    const std::pair<Id, std::uint32_t> members[] = {{types_.uvec2, 0}, {types_.uvec2, 8}, {types_.uvec2, 16},
                                                    {uint_, 24},       {uint_, 28},       {uint_, 32},
                                                    {uint_, 36},       {uint_, 40},       {uint_, 44}};
    const Id block = writer_.struct_type(members);
    writer_.decorate(block, spv::DecorationBlock);
    root_ = writer_.variable(spv::StorageClassPushConstant, block);
    const std::pair<Id, std::uint32_t> table_members[] = {
        {writer_.runtime_array_type(types_.record, types_.stride), 0}};
    const Id table = writer_.struct_type(table_members);
    writer_.decorate(table, spv::DecorationBlock);
    table_pointer_ = writer_.pointer_type(kPhysical, table);
  }

  [[nodiscard]] Id root(RootMember member, Id type) {
    const Id pointer = code_.value(spv::OpAccessChain, writer_.pointer_type(spv::StorageClassPushConstant, type),
                                   {root_, constant(std::to_underlying(member))});
    return load(type, pointer);
  }

  /// Loads from a record everything that functions need, into private variables.
  void enter_record(Id index) {
    if (table_ == 0) table_ = code_.value(spv::OpBitcast, table_pointer_, {root(RootMember::Records, types_.uvec2)});
    record_ = code_.value(spv::OpAccessChain, types_.record_pointer, {table_, constant(0), index});
    const PrivateState& state = access_.state();
    if (state.record != 0) store(state.record, code_.value(spv::OpBitcast, types_.uvec2, {record_}));
    if (shape_.lanes != 0) load_together();
    const auto fetch = [&](Id variable, Id type, std::uint32_t entry, std::uint32_t member, std::uint32_t alignment) {
      const Id pointer = access_.entry_pointer(code_, record_, constant(entry), member);
      store(variable, code_.value(spv::OpLoad, type, {pointer, spv::MemoryAccessAlignedMask, alignment}));
    };
    const auto offset_of = [](std::uint32_t entry) {
      return RecordLayout::kEntriesOffset + entry * RecordLayout::kEntryBytes;
    };
    for (const auto& [entry, variable] : state.addresses) {
      if (shape_.lanes != 0) {
        store(variable, two_words(offset_of(entry)));
      } else {
        fetch(variable, types_.uvec2, entry, kAddressMember, 8);
      }
    }
    for (const auto& [entry, variable] : state.bytes) {
      if (shape_.lanes != 0) {
        store(variable, word(offset_of(entry) + 8));
      } else {
        fetch(variable, uint_, entry, kBytesMember, 4);
      }
    }
    for (const auto& [entry, variable] : state.lengths) {
      if (shape_.lanes != 0) {
        store(variable, word(offset_of(entry) + 12));
      } else {
        fetch(variable, uint_, entry, kLengthMember, 4);
      }
    }
    for (const auto& [entry, variable] : state.sizes) {
      if (shape_.lanes != 0) {
        store(variable, word(offset_of(entry) + 8));
      } else {
        fetch(variable, uint_, entry, kBytesMember, 4);
      }
    }
    for (const auto& [path, param] : state.params) {
      const auto& [type, variable] = param;
      if (shape_.lanes != 0) {
        if (const Id value = param_of_words(path, type); value != 0) {
          store(variable, value);
          continue;
        }
      }
      Words chain{writer_.pointer_type(kPhysical, type), writer_.fresh(), record_, constant(types_.params_member)};
      for (const std::uint32_t step : path) chain.push_back(constant(step));
      emit(code_.words, spv::OpAccessChain, chain);
      store(variable, code_.value(spv::OpLoad, type, {chain[1], spv::MemoryAccessAlignedMask, alignment_of(type)}));
    }
  }

  // Loading a record together: each invocation of a subgroup loads two words, as one 64-bit number.

  void load_together() {
    if (words_pointer_ == 0) {
      writer_.capability(spv::CapabilityGroupNonUniform);
      writer_.capability(spv::CapabilityGroupNonUniformBallot);
      pair_ = writer_.int_type(64, false);
      const std::pair<Id, std::uint32_t> members[] = {{writer_.runtime_array_type(pair_, 8), 0}};
      const Id block = writer_.struct_type(members);
      writer_.decorate(block, spv::DecorationBlock);
      words_pointer_ = writer_.pointer_type(kPhysical, block);
      lane_variable_ = device_built_in(spv::BuiltInSubgroupLocalInvocationId, uint_);
    }
    const Id all = code_.value(spv::OpBitcast, words_pointer_, {record_});
    const Id lane = load_built_in(lane_variable_, uint_);
    const std::uint32_t pairs = types_.stride / 8;
    parts_.clear();
    known_.clear();
    for (std::uint32_t first = 0; first < pairs; first += shape_.lanes) {
      Id place = first == 0 ? lane : code_.value(spv::OpIAdd, uint_, {lane, constant(first)});
      // Invocations beyond the end of the record load the last two words.
      if (first + shape_.lanes > pairs) {
        const Id inside = code_.value(spv::OpULessThan, bool_, {place, constant(pairs)});
        place = code_.value(spv::OpSelect, uint_, {inside, place, constant(pairs - 1)});
      }
      const Id pointer =
          code_.value(spv::OpAccessChain, writer_.pointer_type(kPhysical, pair_), {all, constant(0), place});
      parts_.push_back(code_.value(spv::OpLoad, pair_, {pointer, spv::MemoryAccessAlignedMask, 8}));
    }
  }

  /// The two words at an offset, a multiple of eight bytes, from the invocation that has loaded them.
  [[nodiscard]] Id two_words(std::uint32_t offset) {
    Id& known = known_[offset / 8];
    if (known == 0) {
      const Id both = code_.value(
          spv::OpGroupNonUniformBroadcast, pair_,
          {constant(spv::ScopeSubgroup), parts_[offset / 8 / shape_.lanes], constant(offset / 8 % shape_.lanes)});
      known = code_.value(spv::OpBitcast, types_.uvec2, {both});
    }
    return known;
  }
  [[nodiscard]] Id word(std::uint32_t offset) { return extract(two_words(offset / 8 * 8), offset / 4 % 2); }

  /// The push constants at a path, made from words of the record. 0 unless they are a 32-bit number or a vector of
  /// those.
  [[nodiscard]] Id param_of_words(const std::vector<std::uint32_t>& path, Id type) {
    const spirv::Module& module = facts_.module;
    std::uint32_t offset = types_.params_offset;
    Id at = facts_.pointee(facts_.push);
    for (const std::uint32_t step : path) {
      const spirv::Instruction definition = *module.definition(at);
      if (definition.op() == spv::OpTypeStruct) {
        offset += module.decoration(at, spv::DecorationOffset, step).value_or(0);
        at = definition.operand(step);
      } else if (definition.op() == spv::OpTypeArray) {
        offset += step * module.decoration(at, spv::DecorationArrayStride).value_or(0);
        at = definition.operand(0);
      } else {
        return 0;
      }
    }
    spirv::Instruction scalar = *module.definition(type);
    const std::uint32_t count = scalar.op() == spv::OpTypeVector ? scalar.operand(1) : 1;
    if (scalar.op() == spv::OpTypeVector) scalar = *module.definition(scalar.operand(0));
    const bool is_number = scalar.op() == spv::OpTypeInt || scalar.op() == spv::OpTypeFloat;
    if (!is_number || scalar.operand(0) != 32 || offset % 4 != 0) return 0;
    const auto converted = [&](Id value) {
      return scalar.result() == uint_ ? value : code_.value(spv::OpBitcast, scalar.result(), {value});
    };
    if (count == 1) return converted(word(offset));
    Words parts{type, 0};
    for (std::uint32_t i = 0; i < count; ++i) parts.push_back(converted(word(offset + 4 * i)));
    parts[1] = writer_.fresh();
    emit(code_.words, spv::OpCompositeConstruct, parts);
    return parts[1];
  }

  /// The alignment of a scalar, vector or matrix.
  [[nodiscard]] std::uint32_t alignment_of(Id type) const {
    auto definition = *facts_.module.definition(type);
    while (definition.op() == spv::OpTypeVector || definition.op() == spv::OpTypeMatrix) {
      definition = *facts_.module.definition(definition.operand(0));
    }
    return definition.operand(0) / 8;
  }

  [[nodiscard]] Id record_groups() {
    if (shape_.lanes != 0) return uvec3(word(0), word(4), word(8));
    const Id pointer =
        code_.value(spv::OpAccessChain, writer_.pointer_type(kPhysical, types_.uvec3), {record_, constant(0)});
    return code_.value(spv::OpLoad, types_.uvec3, {pointer, spv::MemoryAccessAlignedMask, 4});
  }

  /// Sets the built-ins and calls the kernel for one of its workgroups. `groups`: the loaded workgroup count, 0 if it
  /// was not loaded yet.
  void run(Id workgroup, Id groups) {
    if (const Id variable = kernel_built_in(spv::BuiltInWorkgroupId); variable != 0) {
      store_built_in(variable, workgroup, types_.uvec3);
    }
    if (const Id variable = kernel_built_in(spv::BuiltInNumWorkgroups); variable != 0) {
      store_built_in(variable, groups != 0 ? groups : record_groups(), types_.uvec3);
    }
    const Id size = writer_.composite(
        types_.uvec3, {constant(shape_.workgroup[0]), constant(shape_.workgroup[1]), constant(shape_.workgroup[2])});
    const Id corner = kernel_built_in(spv::BuiltInGlobalInvocationId) != 0
                          ? code_.value(spv::OpIMul, types_.uvec3, {workgroup, size})
                          : 0;
    if (shape_.fold == 0) {
      if (corner != 0) place_globally(corner, load_built_in(local_id(), types_.uvec3));
      call();
      return;
    }
    const Id lane = load_built_in(lane_id(), uint_);
    const std::uint32_t rounds = (shape_.invocations() + shape_.fold - 1) / shape_.fold;
    const Id round = counter();
    store(round, constant(0));
    loop([&] { return code_.value(spv::OpULessThan, bool_, {load(uint_, round), constant(rounds)}); },
         [&] {
           const Id now = load(uint_, round);
           const Id first = code_.value(spv::OpIMul, uint_, {now, constant(shape_.fold)});
           const Id index = code_.value(spv::OpIAdd, uint_, {first, lane});
           const bool is_even = shape_.invocations() % shape_.fold == 0;
           const auto step = [&] { run_folded(index, corner); };
           if (is_even) {
             step();
           } else {
             when(code_.value(spv::OpULessThan, bool_, {index, constant(shape_.invocations())}), step);
           }
           store(round, code_.value(spv::OpIAdd, uint_, {now, constant(1)}));
         });
  }

  void run_folded(Id index, Id corner) {
    if (const Id position = kernel_built_in(spv::BuiltInLocalInvocationIndex); position != 0) {
      store_built_in(position, index, uint_);
    }
    const Id variable = kernel_built_in(spv::BuiltInLocalInvocationId);
    if (variable != 0 || corner != 0) {
      // The sizes are constants, so compilers replace these divisions.
      const auto [sx, sy, sz] = shape_.workgroup;
      const auto divide = [&](Id a, std::uint32_t b) {
        return b == 1 ? a : code_.value(spv::OpUDiv, uint_, {a, constant(b)});
      };
      const auto rest = [&](Id a, std::uint32_t b) {
        return b == 1 ? constant(0) : code_.value(spv::OpUMod, uint_, {a, constant(b)});
      };
      const bool is_flat = sy == 1 && sz == 1;
      const Id x = is_flat ? index : rest(index, sx);
      const Id y = is_flat ? constant(0) : rest(divide(index, sx), sy);
      const Id z = sz == 1 ? constant(0) : divide(index, sx * sy);
      const Id local = uvec3(x, y, z);
      if (variable != 0) store_built_in(variable, local, types_.uvec3);
      if (corner != 0) place_globally(corner, local);
    }
    call();
  }

  void place_globally(Id corner, Id local) {
    store_built_in(kernel_built_in(spv::BuiltInGlobalInvocationId),
                   code_.value(spv::OpIAdd, types_.uvec3, {corner, local}), types_.uvec3);
  }

  [[nodiscard]] Id local_id() {
    if (local_id_ == 0) local_id_ = device_built_in(spv::BuiltInLocalInvocationId, types_.uvec3);
    return local_id_;
  }
  [[nodiscard]] Id lane_id() {
    if (lane_id_ == 0) lane_id_ = device_built_in(spv::BuiltInLocalInvocationIndex, uint_);
    return lane_id_;
  }

  void call() {
    const bool runs_again = takes_turns(shape_.kind) || shape_.fold != 0;
    for (std::size_t i = 0; runs_again && i < facts_.module.global_count(); ++i) {
      const spirv::Instruction variable = facts_.module[i];
      if (variable.op() != spv::OpVariable || variable.operand(0) != spv::StorageClassPrivate) continue;
      if (variable.operands().size() > 1 && facts_.is_used(variable.result())) {
        store(variable.result(), variable.operand(1));
      }
    }
    code_.value(spv::OpFunctionCall, writer_.void_type(), {body_});
  }

  template <typename Then>
  void when(Id condition, Then then) {
    const Id inside = writer_.fresh();
    const Id end = writer_.fresh();
    code_.add(spv::OpSelectionMerge, {end, 0});
    code_.add(spv::OpBranchConditional, {condition, inside, end});
    code_.label(inside);
    then();
    code_.add(spv::OpBranch, {end});
    code_.label(end);
  }

  template <typename Condition, typename Body>
  void loop(Condition condition, Body body) {
    const Id head = writer_.fresh();
    const Id test = writer_.fresh();
    const Id inside = writer_.fresh();
    const Id next = writer_.fresh();
    const Id end = writer_.fresh();
    code_.add(spv::OpBranch, {head});
    code_.label(head);
    code_.add(spv::OpLoopMerge, {end, next, 0});
    code_.add(spv::OpBranch, {test});
    code_.label(test);
    code_.add(spv::OpBranchConditional, {condition(), inside, end});
    code_.label(inside);
    body();
    code_.add(spv::OpBranch, {next});
    code_.label(next);
    code_.add(spv::OpBranch, {head});
    code_.label(end);
  }

  /// Writes the merged form. Without a map, the z of a workgroup is the index of its dispatch; with a map, the
  /// workgroup looks up its entry.
  void write_merged() {
    const Id position = load_built_in(device_built_in(spv::BuiltInWorkgroupId, types_.uvec3), types_.uvec3);
    const Id x = extract(position, 0);
    const Id y = extract(position, 1);
    const Id first = root(RootMember::First, uint_);
    const Id workgroup_pointer = writer_.pointer_type(spv::StorageClassFunction, types_.uvec3);
    const Id workgroup = writer_.fresh();
    emit(variables_, spv::OpVariable, {workgroup_pointer, workgroup, spv::StorageClassFunction});
    const Id record = counter();
    const Id is_there = writer_.fresh();
    emit(variables_, spv::OpVariable,
         {writer_.pointer_type(spv::StorageClassFunction, bool_), is_there, spv::StorageClassFunction});
    store(workgroup, uvec3(x, y, constant(0)));
    store(record, code_.value(spv::OpIAdd, uint_, {first, extract(position, 2)}));
    store(is_there, writer_.bool_constant(true));
    const Id map = root(RootMember::Map, types_.uvec2);
    const Id map_bits = code_.value(spv::OpBitwiseOr, uint_, {extract(map, 0), extract(map, 1)});
    when(code_.value(spv::OpINotEqual, bool_, {map_bits, constant(0)}), [&] {
      const Id uvec4 = writer_.vector_type(uint_, 4);
      const std::pair<Id, std::uint32_t> members[] = {{writer_.runtime_array_type(uvec4, 16), 0}};
      const Id block = writer_.struct_type(members);
      writer_.decorate(block, spv::DecorationBlock);
      const Id row = code_.value(spv::OpIMul, uint_, {y, root(RootMember::Row, uint_)});
      const Id place = code_.value(spv::OpIAdd, uint_, {row, x});
      const Id inside = code_.value(spv::OpULessThan, bool_, {place, root(RootMember::Total, uint_)});
      store(is_there, inside);
      const Id safe = code_.value(spv::OpSelect, uint_, {inside, place, constant(0)});
      const Id entries = code_.value(spv::OpBitcast, writer_.pointer_type(kPhysical, block), {map});
      const Id pointer =
          code_.value(spv::OpAccessChain, writer_.pointer_type(kPhysical, uvec4), {entries, constant(0), safe});
      const Id entry = code_.value(spv::OpLoad, uvec4, {pointer, spv::MemoryAccessAlignedMask, 16});
      store(record, code_.value(spv::OpIAdd, uint_, {first, extract(entry, 0)}));
      store(workgroup, uvec3(extract(entry, 1), extract(entry, 2), extract(entry, 3)));
    });
    when(load(bool_, is_there), [&] {
      enter_record(load(uint_, record));
      run(load(types_.uvec3, workgroup), 0);
    });
  }

  void end_turn() {
    // In a chain, the next item must see what this one wrote to buffers.
    std::uint32_t memory = 0;
    if (shape_.kind == FormKind::Chain) memory |= spv::MemorySemanticsUniformMemoryMask;
    if (shape_.kind == FormKind::Chain && facts_.has_vulkan_memory_model) {
      memory |= spv::MemorySemanticsMakeAvailableMask;
      memory |= spv::MemorySemanticsMakeVisibleMask;
    }
    // Workgroup memory is used by every item: all invocations must have read it before the next item writes to it.
    if (shape_.has_shared) memory |= spv::MemorySemanticsWorkgroupMemoryMask;
    if (memory == 0) return;
    // If the workgroup is a single subgroup, a cheaper subgroup barrier is enough.
    const bool is_one_subgroup = shape_.fold != 0 && shape_.fold == shape_.lanes;
    code_.add(spv::OpControlBarrier,
              {constant(is_one_subgroup ? spv::ScopeSubgroup : spv::ScopeWorkgroup), constant(spv::ScopeWorkgroup),
               constant(spv::MemorySemanticsAcquireReleaseMask | memory)});
  }

  /// Writes the persistent form and the chain: loops over records, and for each record over its workgroups, x first.
  void write_turns() {
    const Id position = load_built_in(device_built_in(spv::BuiltInWorkgroupId, types_.uvec3), types_.uvec3);
    // Each workgroup runs `Row` consecutive records; the last workgroup may have fewer.
    const Id first = root(RootMember::First, uint_);
    const Id share = root(RootMember::Row, uint_);
    const Id all_end = code_.value(spv::OpIAdd, uint_, {first, root(RootMember::Count, uint_)});
    const Id offset = code_.value(spv::OpIMul, uint_, {extract(position, 0), share});
    const Id begin = code_.value(spv::OpIAdd, uint_, {first, offset});
    const Id own_end = code_.value(spv::OpIAdd, uint_, {begin, share});
    const Id is_last = code_.value(spv::OpULessThan, bool_, {all_end, own_end});
    const Id end = code_.value(spv::OpSelect, uint_, {is_last, all_end, own_end});
    const Id record = counter();
    const Id x = counter();
    const Id y = counter();
    const Id z = counter();
    store(record, begin);
    for (const Id each : {x, y, z}) store(each, constant(0));
    table_ = code_.value(spv::OpBitcast, table_pointer_, {root(RootMember::Records, types_.uvec2)});
    if (shape_.fold == 0 && kernel_built_in(spv::BuiltInGlobalInvocationId) != 0) static_cast<void>(local_id());
    loop([&] { return code_.value(spv::OpULessThan, bool_, {load(uint_, record), end}); },
         [&] {
           const Id now = load(uint_, record);
           enter_record(now);
           const Id groups = record_groups();
           run(uvec3(load(uint_, x), load(uint_, y), load(uint_, z)), groups);
           end_turn();
           Id carry = constant(1);
           for (const auto& [variable, component] : {std::pair{x, 0U}, std::pair{y, 1U}, std::pair{z, 2U}}) {
             const Id next = code_.value(spv::OpIAdd, uint_, {load(uint_, variable), carry});
             const Id is_last = code_.value(spv::OpUGreaterThanEqual, bool_, {next, extract(groups, component)});
             store(variable, code_.value(spv::OpSelect, uint_, {is_last, constant(0), next}));
             carry = code_.value(spv::OpSelect, uint_, {is_last, constant(1), constant(0)});
           }
           store(record, code_.value(spv::OpIAdd, uint_, {now, carry}));
         });
  }

  const KernelFacts& facts_;
  const RecordAccess& access_;
  const RecordTypes& types_;
  const LaunchShape& shape_;
  Id body_;
  ModuleWriter& writer_;
  Code code_;
  Words variables_;
  Id uint_;
  Id bool_;
  Id uint_variable_;
  Id root_ = 0;
  Id table_pointer_ = 0;
  Id table_ = 0;
  Id record_ = 0;
  Id local_id_ = 0;
  Id lane_id_ = 0;
  Id words_pointer_ = 0;
  Id lane_variable_ = 0;
  Id pair_ = 0;                        // The type of two words.
  std::vector<Id> parts_;              // The words of the record that this invocation has loaded, two in each.
  std::map<std::uint32_t, Id> known_;  // By offset / 8: pairs of words that were already passed on to all invocations.
};

}  // namespace

void write_launcher(const KernelFacts& facts, const RecordAccess& record, const RecordTypes& types,
                    const LaunchShape& shape, Id body, ModuleWriter& writer) {
  Launcher{facts, record, types, shape, body, writer}.write();
}

}  // namespace vyre::program::forms
