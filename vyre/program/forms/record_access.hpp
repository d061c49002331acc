#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <vyre/program/forms/function_writer.hpp>
#include <vyre/program/forms/type_layout.hpp>

namespace vyre::program::forms {

/// The members of an entry of a record that are read.
inline constexpr std::uint32_t kAddressMember = 0;
inline constexpr std::uint32_t kBytesMember = 1;
inline constexpr std::uint32_t kLengthMember = 2;

/// Private variables that functions read, because they cannot see what the entry point loaded.
struct PrivateState {
  std::map<std::uint32_t, Id> addresses = {};  ///< By entry of the record: its address, two words.
  std::map<std::uint32_t, Id> bytes = {};      ///< By entry: how large the view is.
  std::map<std::uint32_t, Id> lengths = {};    ///< By entry: elements of its runtime array.
  std::map<std::uint32_t, Id> sizes = {};      ///< By entry: bytes of its view.
  Id record = 0;                               ///< The address of the record; 0 if no function needs it.
  Id zero = 0;                                 ///< A zero that no compiler knows.
  Id scratch = 0;                              ///< The address of zeros, with those to write to after them.
  /// Push constants by the path to them: type and variable.
  std::map<std::vector<std::uint32_t>, std::pair<Id, Id>> params = {};
};

/// Types that both functions and the new entry point use.
struct RecordTypes {
  Id uint = 0;
  Id uvec2 = 0;
  Id uvec3 = 0;
  Id record = 0;                    ///< The structure of a record.
  Id record_pointer = 0;            ///< To one.
  std::uint32_t params_member = 0;  ///< Which member of a record the push constants are.
  std::uint32_t params_offset = 0;
  std::uint32_t stride = 0;
};

/// How functions reach the record of their dispatch. Values are loaded once for each function, in its prologue.
class RecordAccess {
 public:
  RecordAccess(const RewriteContext& in, const TypeLayout& sizes, FunctionWriter& body) noexcept;

  /// Makes the types of a record.
  [[nodiscard]] Result<RecordTypes> make_types();
  void begin_function();

  [[nodiscard]] const RecordTypes& types() const noexcept { return types_; }
  [[nodiscard]] const PrivateState& state() const noexcept { return state_; }

  [[nodiscard]] Id record_pointer();
  /// The push constants in the record.
  [[nodiscard]] Id params_pointer(Id pointer_type);
  /// The variable with the push constants of a path, of this type when it is made.
  [[nodiscard]] Id param(const std::vector<std::uint32_t>& path, Id type);
  /// The address of an entry's view, as a pointer or as two words.
  [[nodiscard]] Id entry_address(std::uint32_t entry, Id pointer_type);
  [[nodiscard]] Id entry_words(std::uint32_t entry);
  /// How many elements the runtime array of an entry has.
  [[nodiscard]] Id entry_length(std::uint32_t entry);
  /// How large the view of an entry is, for indices and for steps of pointers.
  [[nodiscard]] Id entry_bytes(std::uint32_t entry);
  [[nodiscard]] Id entry_size(std::uint32_t entry);
  /// A zero that no compiler knows, loaded at hand.
  [[nodiscard]] Id zero();
  /// Memory that takes accesses that lead out of a view: zeros, or bytes that are written.
  [[nodiscard]] Id scratch_pointer(Id pointer_type, bool writes);
  /// Where a member of an entry is within a record.
  [[nodiscard]] Id entry_pointer(Code& code, Id record, Id entry, std::uint32_t member) const;

 private:
  /// What a private variable holds, which is made if it is 0.
  [[nodiscard]] Id from_private(Id& variable, Id type, Code& code);

  const KernelFacts& facts_;
  const spirv::Module& module_;
  const TypeLayout& sizes_;
  ModuleWriter& writer_;
  Code& code_;
  Code& prologue_;
  RecordTypes types_;
  PrivateState state_;
  // Of the function at hand.
  std::map<std::pair<std::uint32_t, Id>, Id> entry_pointers_;
  std::map<std::uint32_t, Id> entry_lengths_;
  std::map<std::uint32_t, Id> entry_bytes_;
  std::map<std::pair<Id, bool>, Id> scratch_pointers_;
  Id params_pointer_ = 0;
  Id record_pointer_ = 0;
};

}  // namespace vyre::program::forms
