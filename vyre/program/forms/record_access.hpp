#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <vyre/program/forms/function_writer.hpp>
#include <vyre/program/forms/type_layout.hpp>

namespace vyre::program::forms {

/// The indices of the members in an entry of a record.
inline constexpr std::uint32_t kAddressMember = 0;
inline constexpr std::uint32_t kBytesMember = 1;
inline constexpr std::uint32_t kLengthMember = 2;

/// Private variables through which the entry point passes what it has loaded to the functions. The members are ids of
/// variables.
struct PrivateState {
  std::map<std::uint32_t, Id> addresses = {};  ///< By entry of the record: the address of its view, two words.
  std::map<std::uint32_t, Id> bytes = {};      ///< By entry: the size of its view, for checks of indices.
  std::map<std::uint32_t, Id> lengths = {};    ///< By entry: the number of elements of its runtime array.
  std::map<std::uint32_t, Id> sizes = {};      ///< By entry: the size of its view, for steps of pointers.
  Id record = 0;                               ///< The address of the record; 0 if no function needs it.
  Id zero = 0;                                 ///< A zero whose value compilers cannot know.
  Id scratch = 0;                              ///< The address of the scratch memory.
  /// By the path of a push constant: its type and variable.
  std::map<std::vector<std::uint32_t>, std::pair<Id, Id>> params = {};
};

/// Types that both functions and the new entry point use.
struct RecordTypes {
  Id uint = 0;
  Id uvec2 = 0;
  Id uvec3 = 0;
  Id record = 0;                    ///< The structure of a record.
  Id record_pointer = 0;            ///< The type of a pointer to a record.
  std::uint32_t params_member = 0;  ///< The index of the push constants among the members of a record.
  std::uint32_t params_offset = 0;
  std::uint32_t stride = 0;
};

/// Writes the code by which functions read the record of their dispatch. Each value is loaded once per function, in its
/// prologue.
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
  /// The variable with the push constant at a path; it is made with this type if there is none.
  [[nodiscard]] Id param(const std::vector<std::uint32_t>& path, Id type);
  /// The address of an entry's view: as a pointer, and as two words.
  [[nodiscard]] Id entry_address(std::uint32_t entry, Id pointer_type);
  [[nodiscard]] Id entry_words(std::uint32_t entry);
  /// The number of elements of an entry's runtime array.
  [[nodiscard]] Id entry_length(std::uint32_t entry);
  /// The size of an entry's view: for checks of indices, and for steps of pointers.
  [[nodiscard]] Id entry_bytes(std::uint32_t entry);
  [[nodiscard]] Id entry_size(std::uint32_t entry);
  /// A zero whose value compilers cannot know, loaded at this point of the code.
  [[nodiscard]] Id zero();
  /// A pointer to scratch memory, for an access outside of a view: to the zeros, or to the bytes that may be written.
  [[nodiscard]] Id scratch_pointer(Id pointer_type, bool writes);
  /// A pointer to a member of an entry of a record.
  [[nodiscard]] Id entry_pointer(Code& code, Id record, Id entry, std::uint32_t member) const;

 private:
  /// Loads a private variable, which is made first if its id is 0.
  [[nodiscard]] Id from_private(Id& variable, Id type, Code& code);

  const KernelFacts& facts_;
  const spirv::Module& module_;
  const TypeLayout& sizes_;
  ModuleWriter& writer_;
  Code& code_;
  Code& prologue_;
  RecordTypes types_;
  PrivateState state_;
  // Values loaded in the current function.
  std::map<std::pair<std::uint32_t, Id>, Id> entry_pointers_;
  std::map<std::uint32_t, Id> entry_lengths_;
  std::map<std::uint32_t, Id> entry_bytes_;
  std::map<std::pair<Id, bool>, Id> scratch_pointers_;
  Id params_pointer_ = 0;
  Id record_pointer_ = 0;
};

}  // namespace vyre::program::forms
