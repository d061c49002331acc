#include "tests/support/cross_oracle.hpp"

#include <bit>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv_cross/spirv_cross_c.h>

#include <vyre/program/spirv/grammar.hpp>

namespace vyre::tests {
namespace {

using program::Binding;
using program::Interface;
using program::Member;

/// What SPIRV-Cross knows of one module.
class Cross {
 public:
  explicit Cross(const std::vector<std::uint32_t>& words) {
    spvc_context context = nullptr;
    EXPECT_EQ(spvc_context_create(&context), SPVC_SUCCESS);
    context_.reset(context);
    spvc_parsed_ir ir = nullptr;
    EXPECT_EQ(spvc_context_parse_spirv(context, words.data(), words.size(), &ir), SPVC_SUCCESS)
        << spvc_context_get_last_error_string(context);
    EXPECT_EQ(
        spvc_context_create_compiler(context, SPVC_BACKEND_NONE, ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler_),
        SPVC_SUCCESS);
    spvc_set active = nullptr;
    EXPECT_EQ(spvc_compiler_get_active_interface_variables(compiler_, &active), SPVC_SUCCESS);
    EXPECT_EQ(spvc_compiler_create_shader_resources_for_active_variables(compiler_, &resources_, active), SPVC_SUCCESS);
  }

  [[nodiscard]] spvc_compiler compiler() const { return compiler_; }

  [[nodiscard]] std::span<const spvc_reflected_resource> resources(spvc_resource_type type) const {
    const spvc_reflected_resource* list = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(spvc_resources_get_resource_list_for_type(resources_, type, &list, &count), SPVC_SUCCESS);
    return {list, count};
  }
  [[nodiscard]] unsigned decoration(spvc_variable_id id, SpvDecoration kind) const {
    return spvc_compiler_get_decoration(compiler_, id, kind);
  }
  [[nodiscard]] spvc_type type(spvc_type_id id) const { return spvc_compiler_get_type_handle(compiler_, id); }
  /// The name of a variable, or of its block.
  [[nodiscard]] std::string name(const spvc_reflected_resource& resource) const {
    const std::string own = spvc_compiler_get_name(compiler_, resource.id);
    return own.empty() ? spvc_compiler_get_name(compiler_, resource.base_type_id) : own;
  }
  [[nodiscard]] std::size_t struct_size(spvc_type type) const {
    std::size_t size = 0;
    EXPECT_EQ(spvc_compiler_get_declared_struct_size(compiler_, type, &size), SPVC_SUCCESS);
    return size;
  }

 private:
  struct Destroy {
    void operator()(spvc_context context) const { spvc_context_destroy(context); }
  };
  std::unique_ptr<std::remove_pointer_t<spvc_context>, Destroy> context_;
  spvc_compiler compiler_ = nullptr;
  spvc_resources resources_ = nullptr;
};

void expect_members(const Cross& cross, spvc_type_id type_id, const std::vector<Member>& members) {
  const spvc_type type = cross.type(type_id);
  ASSERT_EQ(spvc_type_get_num_member_types(type), members.size());
  for (unsigned i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    SCOPED_TRACE("member " + std::to_string(i) + " '" + member.name + "'");
    unsigned offset = 0;
    EXPECT_EQ(spvc_compiler_type_struct_member_offset(cross.compiler(), type, i, &offset), SPVC_SUCCESS);
    EXPECT_EQ(member.offset, offset);
    const spvc_type_id base_type = spvc_type_get_base_type_id(type);
    EXPECT_EQ(member.name, spvc_compiler_get_member_name(cross.compiler(), base_type, i));

    const spvc_type member_type = cross.type(spvc_type_get_member_type(type, i));
    const unsigned dimensions = spvc_type_get_num_array_dimensions(member_type);
    if (dimensions > 0) {
      unsigned stride = 0;
      EXPECT_EQ(spvc_compiler_type_struct_member_array_stride(cross.compiler(), type, i, &stride), SPVC_SUCCESS);
      EXPECT_EQ(member.array_stride, stride);
    } else {
      EXPECT_EQ(member.array_stride, 0U);
    }
    if (spvc_type_get_columns(member_type) > 1) {
      unsigned stride = 0;
      EXPECT_EQ(spvc_compiler_type_struct_member_matrix_stride(cross.compiler(), type, i, &stride), SPVC_SUCCESS);
      EXPECT_EQ(member.matrix_stride, stride);
      EXPECT_EQ(member.row_major, spvc_compiler_has_member_decoration(cross.compiler(), base_type, i,
                                                                      SpvDecorationRowMajor) != SPVC_FALSE);
    }
    const bool is_runtime_array = dimensions > 0 && spvc_type_get_array_dimension(member_type, dimensions - 1) == 0;
    if (!is_runtime_array) {
      std::size_t size = 0;
      EXPECT_EQ(spvc_compiler_get_declared_struct_member_size(cross.compiler(), type, i, &size), SPVC_SUCCESS);
      EXPECT_EQ(member.size, size);
    }
    if (spvc_type_get_basetype(member_type) == SPVC_BASETYPE_STRUCT) {
      expect_members(cross, spvc_type_get_base_type_id(member_type), member.members);
    } else {
      EXPECT_TRUE(member.members.empty());
    }
  }
}

/// Buffers by place and name: SPIRV-Cross tells of variables, of which several may share a slot.
using Key = std::tuple<unsigned, unsigned, std::string>;

/// A variable as a binding of its own.
Binding alone(const Binding& binding, const program::BindingVariable& variable) {
  Binding one = binding;
  one.name = variable.name;
  one.size = variable.size;
  one.stride = variable.stride;
  one.runtime_sized = variable.runtime_sized;
  one.members = variable.members;
  one.variables.clear();
  return one;
}

void expect_buffer(const Cross& cross, const Binding& binding, const spvc_reflected_resource& resource, bool is_alone) {
  const spvc_type variable_type = cross.type(resource.type_id);
  const bool is_array = spvc_type_get_num_array_dimensions(variable_type) > 0;
  const unsigned count = is_array ? spvc_type_get_array_dimension(variable_type, 0) : 1U;
  // Of several arrays at one slot the longest counts.
  if (is_alone) {
    EXPECT_EQ(binding.count, count);
  } else {
    EXPECT_GE(binding.count.value_or(0), count);
  }
  EXPECT_EQ(binding.size, cross.struct_size(cross.type(resource.base_type_id)));
  const spvc_type block = cross.type(resource.base_type_id);
  const unsigned last = spvc_type_get_num_member_types(block) - 1;
  const unsigned dimensions = spvc_type_get_num_array_dimensions(cross.type(spvc_type_get_member_type(block, last)));
  if (binding.runtime_sized && dimensions == 1) {  // Of runtime arrays of arrays SPIRV-Cross says 0.
    std::size_t size = 0;
    EXPECT_EQ(spvc_compiler_get_declared_struct_size_runtime_array(cross.compiler(), block, 3, &size), SPVC_SUCCESS);
    EXPECT_EQ(binding.size + 3 * std::uint64_t{binding.stride}, size);
  }
  expect_members(cross, resource.base_type_id, binding.members);
}

void expect_buffers(const Cross& cross, const Interface& derived) {
  std::multimap<Key, std::pair<spvc_reflected_resource, bool>> expected;
  for (const bool uniform : {false, true}) {
    for (const auto& resource :
         cross.resources(uniform ? SPVC_RESOURCE_TYPE_UNIFORM_BUFFER : SPVC_RESOURCE_TYPE_STORAGE_BUFFER)) {
      const Key key{cross.decoration(resource.id, SpvDecorationDescriptorSet),
                    cross.decoration(resource.id, SpvDecorationBinding), cross.name(resource)};
      expected.emplace(key, std::pair{resource, uniform});
    }
  }
  std::size_t variables = 0;
  for (const Binding& binding : derived.bindings) {
    SCOPED_TRACE(std::to_string(binding.set) + "." + std::to_string(binding.slot) + " '" + binding.name + "'");
    std::vector<Binding> each{binding};
    if (!binding.variables.empty()) each.clear();
    for (const program::BindingVariable& variable : binding.variables) each.push_back(alone(binding, variable));
    variables += each.size();
    for (const Binding& one : each) {
      const Key key{one.set, one.slot, one.name};
      const auto found = expected.find(key);
      ASSERT_NE(found, expected.end());
      const auto& [resource, uniform] = found->second;
      EXPECT_EQ(one.kind == program::BindingKind::UniformBuffer, uniform);
      // Without names two variables of one slot cannot be told apart.
      if (expected.count(key) == 1) expect_buffer(cross, one, resource, binding.variables.empty());
    }
  }
  EXPECT_EQ(variables, expected.size());
}

void expect_push_constants(const Cross& cross, const Interface& derived) {
  const auto blocks = cross.resources(SPVC_RESOURCE_TYPE_PUSH_CONSTANT);
  ASSERT_EQ(blocks.size(), derived.push_constants ? 1U : 0U);
  if (!derived.push_constants) return;
  EXPECT_EQ(derived.push_constants->size, cross.struct_size(cross.type(blocks[0].base_type_id)));
  expect_members(cross, blocks[0].base_type_id, derived.push_constants->members);
}

void expect_spec_constants(const Cross& cross, const Interface& derived) {
  const spvc_specialization_constant* list = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(spvc_compiler_get_specialization_constants(cross.compiler(), &list, &count), SPVC_SUCCESS);
  std::map<unsigned, std::vector<spvc_constant_id>> by_id;
  for (const auto& constant : std::span{list, count}) by_id[constant.constant_id].push_back(constant.id);
  ASSERT_EQ(derived.spec_constants.size(), by_id.size());
  for (const program::SpecConstant& constant : derived.spec_constants) {
    SCOPED_TRACE("constant " + std::to_string(constant.id));
    ASSERT_TRUE(by_id.contains(constant.id));
    const spvc_constant_id id = by_id[constant.id].front();
    const spvc_constant value = spvc_compiler_get_constant_handle(cross.compiler(), id);
    const spvc_type type = cross.type(spvc_constant_get_type(value));
    const bool is_wide = spvc_type_get_bit_width(type) == 64;
    const std::uint64_t bits = is_wide ? std::bit_cast<std::uint64_t>(spvc_constant_get_scalar_fp64(value, 0, 0))
                                       : spvc_constant_get_scalar_u32(value, 0, 0);
    EXPECT_EQ(constant.default_bits, bits);
    if (by_id[constant.id].size() == 1) {
      EXPECT_EQ(constant.name, spvc_compiler_get_name(cross.compiler(), id));
    }
  }
}

void expect_workgroup(const Cross& cross, const Interface& derived) {
  spvc_specialization_constant dimensions[3] = {};
  const spvc_constant_id whole = spvc_compiler_get_work_group_size_specialization_constants(
      cross.compiler(), &dimensions[0], &dimensions[1], &dimensions[2]);
  for (unsigned i = 0; i < 3; ++i) {
    if (dimensions[i].id != 0) {
      EXPECT_EQ(derived.workgroup.spec_ids[i], dimensions[i].constant_id);
    } else {
      EXPECT_EQ(derived.workgroup.spec_ids[i], std::nullopt);
    }
    unsigned size = spvc_compiler_get_execution_mode_argument_by_index(cross.compiler(), SpvExecutionModeLocalSize, i);
    if (whole != 0) {
      const spvc_constant value = spvc_compiler_get_constant_handle(cross.compiler(), whole);
      size = spvc_constant_get_scalar_u32(value, 0, i);
      const spvc_constant_id* parts = nullptr;
      std::size_t count = 0;
      spvc_constant_get_subconstants(value, &parts, &count);
      if (count == 3 && parts[i] != 0) {
        size = spvc_constant_get_scalar_u32(spvc_compiler_get_constant_handle(cross.compiler(), parts[i]), 0, 0);
      }
    }
    EXPECT_EQ(derived.workgroup.size[i], size) << "dimension " << i;
  }
}

void expect_capabilities(const Cross& cross, const Interface& derived) {
  const SpvCapability* list = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(spvc_compiler_get_declared_capabilities(cross.compiler(), &list, &count), SPVC_SUCCESS);
  std::vector<std::string> names;
  for (const SpvCapability capability : std::span{list, count}) {
    names.emplace_back(program::spirv::enumerant_name(program::spirv::OperandKind::Capability,
                                                      static_cast<std::uint32_t>(capability)));
  }
  EXPECT_THAT(derived.capabilities, testing::UnorderedElementsAreArray(names));
  const char** extensions = nullptr;
  ASSERT_EQ(spvc_compiler_get_declared_extensions(cross.compiler(), &extensions, &count), SPVC_SUCCESS);
  const std::vector<std::string> extension_names(extensions, extensions + count);
  EXPECT_THAT(derived.extensions, testing::UnorderedElementsAreArray(extension_names));
}

}  // namespace

void expect_same_as_spirv_cross(const std::vector<std::uint32_t>& words, const Interface& derived) {
  const Cross cross{words};
  const spvc_entry_point* entries = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(spvc_compiler_get_entry_points(cross.compiler(), &entries, &count), SPVC_SUCCESS);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(derived.entry_point, entries[0].name);
  expect_workgroup(cross, derived);
  expect_buffers(cross, derived);
  expect_push_constants(cross, derived);
  expect_spec_constants(cross, derived);
  expect_capabilities(cross, derived);
}

}  // namespace vyre::tests
