#include <vyre/program/forms/record_access.hpp>

#include <fmt/format.h>

namespace vyre::program::forms {

RecordAccess::RecordAccess(const RewriteContext& in, const TypeLayout& sizes, FunctionWriter& body) noexcept
    : facts_{in.facts},
      module_{in.facts.module},
      sizes_{sizes},
      writer_{in.writer},
      code_{body.code},
      prologue_{body.prologue} {}

Result<RecordTypes> RecordAccess::make_types() {
  types_.uint = writer_.uint_type();
  types_.uvec2 = writer_.vector_type(types_.uint, 2);
  types_.uvec3 = writer_.vector_type(types_.uint, 3);
  const std::pair<Id, std::uint32_t> entry_members[] = {{types_.uvec2, 0}, {types_.uint, 8}, {types_.uint, 12}};
  const Id entry = writer_.struct_type(entry_members);
  std::uint32_t entries = 0;
  for (const BufferVariable& buffer : facts_.buffers) entries += buffer.count;
  std::vector<std::pair<Id, std::uint32_t>> members{{types_.uvec3, 0}};
  std::uint32_t end = RecordLayout::kEntriesOffset + entries * RecordLayout::kEntryBytes;
  if (entries > 0) {
    members.emplace_back(writer_.array_type(entry, entries, RecordLayout::kEntryBytes), RecordLayout::kEntriesOffset);
  }
  // Records are aligned to the largest alignment of any type, that of a vector of four doubles. The push constants
  // follow the entries at their own alignment.
  constexpr std::uint32_t kAlignment = 32;
  const auto round = [](std::uint32_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  const bool has_wide = facts_.push != 0 && sizes_.alignment(facts_.pointee(facts_.push)) > 4;
  types_.params_offset = has_wide ? round(end) : end;
  if (facts_.push != 0) {
    const Id block = facts_.pointee(facts_.push);
    if (module_.definition_op(block) != spv::OpTypeStruct) return refuse("the push constants are no structure");
    types_.params_member = static_cast<std::uint32_t>(members.size());
    members.emplace_back(block, types_.params_offset);
    const std::uint64_t bytes = sizes_.extent(block);
    constexpr std::uint64_t kMostBytes = 65'536;
    if (bytes > kMostBytes) {
      return refuse(fmt::format("the push constants have {} bytes, the limit is {}", bytes, kMostBytes));
    }
    end = types_.params_offset + static_cast<std::uint32_t>(bytes);
  }
  types_.stride = round(end);
  types_.record = writer_.struct_type(members);
  types_.record_pointer = writer_.pointer_type(kPhysical, types_.record);
  return types_;
}

void RecordAccess::begin_function() {
  entry_pointers_.clear();
  entry_lengths_.clear();
  entry_bytes_.clear();
  scratch_pointers_.clear();
  params_pointer_ = 0;
  record_pointer_ = 0;
}

Id RecordAccess::from_private(Id& variable, Id type, Code& code) {
  if (variable == 0) variable = writer_.variable(spv::StorageClassPrivate, type);
  return code.value(spv::OpLoad, type, {variable});
}

Id RecordAccess::record_pointer() {
  if (record_pointer_ == 0) {
    const Id words = from_private(state_.record, types_.uvec2, prologue_);
    record_pointer_ = prologue_.value(spv::OpBitcast, types_.record_pointer, {words});
  }
  return record_pointer_;
}

Id RecordAccess::params_pointer(Id pointer_type) {
  if (params_pointer_ == 0) {
    params_pointer_ =
        prologue_.value(spv::OpAccessChain, pointer_type, {record_pointer(), writer_.constant(types_.params_member)});
  }
  return params_pointer_;
}

Id RecordAccess::param(const std::vector<std::uint32_t>& path, Id type) {
  auto& [its_type, variable] = state_.params[path];
  if (variable == 0) {
    its_type = type;
    variable = writer_.variable(spv::StorageClassPrivate, type);
  }
  return variable;
}

Id RecordAccess::entry_address(std::uint32_t entry, Id pointer_type) {
  Id& pointer = entry_pointers_[{entry, pointer_type}];
  if (pointer == 0) {
    const Id words = entry_words(entry);
    pointer = prologue_.value(spv::OpBitcast, pointer_type, {words});
  }
  return pointer;
}

Id RecordAccess::entry_words(std::uint32_t entry) {
  return from_private(state_.addresses[entry], types_.uvec2, prologue_);
}

Id RecordAccess::entry_length(std::uint32_t entry) {
  Id& length = entry_lengths_[entry];
  if (length == 0) length = from_private(state_.lengths[entry], types_.uint, prologue_);
  return length;
}

Id RecordAccess::entry_bytes(std::uint32_t entry) {
  Id& bytes = entry_bytes_[entry];
  if (bytes == 0) bytes = from_private(state_.bytes[entry], types_.uint, prologue_);
  return bytes;
}

Id RecordAccess::entry_size(std::uint32_t entry) { return from_private(state_.sizes[entry], types_.uint, prologue_); }

Id RecordAccess::zero() { return from_private(state_.zero, types_.uint, code_); }

Id RecordAccess::scratch_pointer(Id pointer_type, bool writes) {
  Id& pointer = scratch_pointers_[{pointer_type, writes}];
  if (pointer == 0) {
    Id words = from_private(state_.scratch, types_.uvec2, prologue_);
    if (writes) {
      const Id behind = writer_.composite(types_.uvec2, {writer_.constant(kScratchBytes), writer_.constant(0)});
      words = prologue_.value(spv::OpBitwiseOr, types_.uvec2, {words, behind});
    }
    pointer = prologue_.value(spv::OpBitcast, pointer_type, {words});
  }
  return pointer;
}

Id RecordAccess::entry_pointer(Code& code, Id record, Id entry, std::uint32_t member) const {
  const Id type = member == kAddressMember ? types_.uvec2 : types_.uint;
  return code.value(spv::OpAccessChain, writer_.pointer_type(kPhysical, type),
                    {record, writer_.constant(1), entry, writer_.constant(member)});
}

}  // namespace vyre::program::forms
