#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/forms/form.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program::forms {

using spirv::Id;

/// The error for a kernel that cannot be rewritten: `Unsupported`. The message names the construct.
[[nodiscard]] std::unexpected<Error> refuse(std::string message);

/// A variable of the kernel that is a buffer or an array of buffers. Several variables may share a binding.
struct BufferVariable {
  Id id = 0;
  Id block = 0;             ///< The structure it holds.
  bool is_array = false;    ///< Whether it is an array of buffers.
  std::uint32_t count = 1;  ///< The number of buffers.
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::uint32_t first_entry = 0;  ///< The index of its first entry in a record.
  std::uint32_t first_range = 0;  ///< The index of its first range in a dispatch.
  std::uint32_t array_offset = 0;
  std::uint32_t array_stride = 0;  ///< 0 if it has no runtime array.
  std::uint32_t scalar_bytes = 0;  ///< As in `RecordEntry`.
};

/// What the rewriter needs to know of a kernel.
struct KernelFacts {
  /// The origin of a pointer that may be derived from several variables, or from an unknown one.
  static constexpr Id kUnknown = ~Id{0};

  const spirv::Module& module;
  spirv::Instruction entry;
  std::vector<const spirv::Function*> functions;  ///< The functions that the entry point reaches, itself first.
  std::vector<bool> is_reached = {};              ///< By instruction: whether it is in one of them.
  std::vector<BufferVariable> buffers = {};       ///< By set, slot and order of declaration.
  std::unordered_map<Id, std::size_t> buffer_of = {};
  Id push = 0;                                           ///< The push-constant variable, if it is used.
  std::unordered_map<std::uint32_t, Id> built_ins = {};  ///< Variables by spv::BuiltIn.
  std::vector<Id> origins = {};                          ///< By id of a pointer: the buffer it points into.
  bool has_vulkan_memory_model = false;                  ///< Then accesses are private unless marked.

  [[nodiscard]] Id pointee(Id pointer) const;
  /// The storage class of a pointer; nothing for an id that is not a pointer.
  [[nodiscard]] std::optional<std::uint32_t> storage(Id pointer) const;
  /// Whether an id is a pointer into a buffer or into the push constants.
  [[nodiscard]] bool is_buffer_pointer(Id id) const;
  /// Whether a reached function uses an id.
  [[nodiscard]] bool is_used(Id id) const;
};

[[nodiscard]] Result<KernelFacts> find_facts(const spirv::Module& module, const Interface& interface,
                                             spirv::Constants& constants);

/// `Unsupported` if a kernel could behave differently when many of its dispatches become one launch.
[[nodiscard]] Result<void> check_one_launch(const KernelFacts& facts, FormKind kind, spirv::Constants& constants);

/// Whether the invocations of a workgroup can run one after another.
[[nodiscard]] bool can_fold(const KernelFacts& facts, const Interface& interface);

}  // namespace vyre::program::forms
