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

/// `Unsupported`, naming what cannot be rewritten.
[[nodiscard]] std::unexpected<Error> refuse(std::string message);

/// A buffer, or an array of them, that the kernel declares; several may share a binding.
struct BufferVariable {
  Id id = 0;
  Id block = 0;             ///< The structure it holds.
  bool is_array = false;    ///< Of buffers.
  std::uint32_t count = 1;  ///< Buffers.
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::uint32_t first_entry = 0;  ///< Within a record.
  std::uint32_t first_range = 0;  ///< Within the ranges of a dispatch.
  std::uint32_t array_offset = 0;
  std::uint32_t array_stride = 0;  ///< 0 if it has no runtime array.
  std::uint32_t scalar_bytes = 0;  ///< The smallest scalar of its elements; 0 if each is one scalar and nothing else.
};

/// What the rewriter needs to know of a kernel.
struct KernelFacts {
  /// More than one variable, or none that is known.
  static constexpr Id kUnknown = ~Id{0};

  const spirv::Module& module;
  spirv::Instruction entry;
  std::vector<const spirv::Function*> functions;  ///< Those that the entry point reaches, itself first.
  std::vector<bool> is_reached = {};              ///< By instruction.
  std::vector<BufferVariable> buffers = {};       ///< By set, slot and order of declaration.
  std::unordered_map<Id, std::size_t> buffer_of = {};
  Id push = 0;                                           ///< The push-constant variable, if it is used.
  std::unordered_map<std::uint32_t, Id> built_ins = {};  ///< Variables by spv::BuiltIn.
  std::vector<Id> origins = {};                          ///< By id of a pointer: the buffer it points into.
  bool has_vulkan_memory_model = false;                  ///< In which accesses are private unless they say otherwise.

  [[nodiscard]] Id pointee(Id pointer) const;
  /// The storage class of a pointer; nothing for what is none.
  [[nodiscard]] std::optional<std::uint32_t> storage(Id pointer) const;
  /// Whether it points into a buffer or into the push constants.
  [[nodiscard]] bool is_buffer_pointer(Id id) const;
  /// Whether a reached function mentions an id.
  [[nodiscard]] bool is_used(Id id) const;
};

[[nodiscard]] Result<KernelFacts> find_facts(const spirv::Module& module, const Interface& interface,
                                             spirv::Constants& constants);

/// Whether a kernel keeps its meaning when many of its dispatches become one launch. `Unsupported` if it does not.
[[nodiscard]] Result<void> check_one_launch(const KernelFacts& facts, FormKind kind, spirv::Constants& constants);

/// Whether the invocations of a workgroup can run one after another.
[[nodiscard]] bool can_fold(const KernelFacts& facts, const Interface& interface);

}  // namespace vyre::program::forms
