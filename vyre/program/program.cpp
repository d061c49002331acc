#include <vyre/program/program.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include <vyre/program/forms/form_cache.hpp>
#include <vyre/program/glsl/compile.hpp>
#include <vyre/program/reflect.hpp>
#include <vyre/program/spirv/header.hpp>
#include <vyre/program/spirv/module.hpp>
#include <vyre/program/validate.hpp>

namespace vyre::program {
namespace {

namespace fs = std::filesystem;

GlslOptions to_glsl_options(const ProgramOptions& options, const std::string& file_name) {
  return {.file_name = file_name,
          .defines = options.defines,
          .include_folders = options.include_folders,
          .target = options.target,
          .optimise = options.optimise,
          .cache = options.cache.get()};
}

Result<std::string> read_bytes(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) {
    return fail(ErrorCode::InvalidArgument, fmt::format("cannot open '{}': {}", path.string(), error.message()));
  }
  if (size > spirv::kMaxModuleBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("'{}' has {} bytes, the limit is {}", path.string(), size, spirv::kMaxModuleBytes));
  }
  std::ifstream file{path, std::ios::binary};
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("cannot read '{}': {}", path.string(), std::generic_category().message(errno)));
  }
  return bytes;
}

void add_members(Hasher& hasher, const std::vector<Member>& members) {
  hasher.add(members.size());
  for (const Member& member : members) {
    hasher.add(member.name).add(member.type).add(member.offset).add(member.size).add(member.array_stride);
    hasher.add(member.matrix_stride).add(member.row_major ? 1 : 0);
    add_members(hasher, member.members);
  }
}

std::string label(const SpecConstant& constant) {
  return constant.name.empty() ? fmt::format("specialisation constant {}", constant.id)
                               : fmt::format("specialisation constant {} '{}'", constant.id, constant.name);
}

std::string in_program(const std::string& name) { return fmt::format("while reading program '{}'", name); }

}  // namespace

Result<std::vector<std::uint32_t>> read_program_words(const fs::path& path, const ProgramOptions& options) {
  const std::string ending = path.extension();
  const bool is_glsl = ending == ".comp" || ending == ".glsl";
  if (!is_glsl && ending != ".spv") {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("'{}' ends in '{}', a program ends in .spv, .comp or .glsl", path.string(), ending));
  }
  VYRE_ASSIGN(const std::string bytes, read_bytes(path));
  if (!is_glsl) {
    Result<std::vector<std::uint32_t>> words = to_words(std::as_bytes(std::span{bytes}));
    if (!words) return in_context(std::move(words).error(), fmt::format("while reading '{}'", path.string()));
    return words;
  }
  GlslOptions glsl = to_glsl_options(options, path.string());
  return compile_glsl(bytes, glsl);
}

Result<Program> Program::from_spirv(std::span<const std::uint32_t> words, const ProgramOptions& options) {
  const std::string name = options.name.empty() ? "kernel" : options.name;
  const auto named = [&name](const Error& error) { return in_context(error, in_program(name)); };
  const ValidationOptions validation{.target = options.target};
  const Result<BlockLayout> block_layout = validate(words, validation);
  if (!block_layout) return named(block_layout.error());
  Result<spirv::Module> module = spirv::Module::read(words);
  if (!module) return named(module.error());
  Result<Interface> interface = reflect(*module, options.entry_point);
  if (!interface) return named(interface.error());
  interface->block_layout = *block_layout;
  if (!interface->unsupported.empty()) {
    const Obstacle& first = interface->unsupported.front();
    return named({.code = ErrorCode::Unsupported, .message = fmt::format("{}: {}", first.what, first.why)});
  }
  auto data = std::make_shared<Data>(Data{.name = name,
                                          .words = {words.begin(), words.end()},
                                          .validation = validation,
                                          .module = std::make_shared<const spirv::Module>(*std::move(module)),
                                          .interface = *std::move(interface),
                                          .module_hash = Hasher{}.add(words).finish(),
                                          .interface_hash = {},
                                          .forms = make_form_cache()});
  data->interface_hash = hash_of(data->interface);
  return Program{std::move(data)};
}

Result<Program> Program::from_glsl(std::string_view source, const ProgramOptions& options) {
  const std::string name = options.name.empty() ? "kernel.comp" : options.name;
  Result<std::vector<std::uint32_t>> words = compile_glsl(source, to_glsl_options(options, name));
  if (!words) return in_context(std::move(words).error(), in_program(name));
  Result<Program> program = from_spirv(*words, options);
  if (program || options.cache == nullptr) return program;
  // A cache must not make anything fail, whatever is in it.
  ProgramOptions without = options;
  without.cache = nullptr;
  return from_glsl(source, without);
}

Result<Program> Program::from_file(const fs::path& path, const ProgramOptions& options) {
  ProgramOptions named = options;
  if (named.name.empty()) named.name = path.filename();
  Result<std::vector<std::uint32_t>> words = read_program_words(path, named);
  if (!words) return in_context(std::move(words).error(), in_program(named.name));
  Result<Program> program = from_spirv(*words, named);
  if (program || options.cache == nullptr) return program;
  named.cache = nullptr;
  return from_file(path, named);
}

Result<SpecKey> Program::spec_key(std::span<const spirv::SpecOverride> values) const {
  const std::vector<SpecConstant>& constants = interface().spec_constants;
  SpecKey key{.module = module_hash(), .interface = interface_hash(), .workgroup = interface().workgroup.size};
  for (const spirv::SpecOverride& value : values) {
    const auto constant = std::ranges::lower_bound(constants, value.spec_id, {}, &SpecConstant::id);
    if (constant == constants.end() || constant->id != value.spec_id) {
      return fail(ErrorCode::InvalidArgument, fmt::format("program '{}' has no specialisation constant {}, it has {}",
                                                          name(), value.spec_id, constants.size()));
    }
    const std::uint32_t bits = constant->type.kind == ScalarKind::Bool ? 1 : constant->type.bits;
    if (spirv::cut_to_width(value.bits, bits) != value.bits) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{} is given {:#x}, a {} has {} bits", label(*constant),
                                                          value.bits, to_string(constant->type), bits));
    }
    key.values.push_back(value);
  }
  std::ranges::sort(key.values, {}, &spirv::SpecOverride::spec_id);
  const auto twice = std::ranges::adjacent_find(key.values, {}, &spirv::SpecOverride::spec_id);
  if (twice != key.values.end()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("specialisation constant {} is given twice", twice->spec_id));
  }
  std::erase_if(key.values, [&](const spirv::SpecOverride& value) {
    return std::ranges::lower_bound(constants, value.spec_id, {}, &SpecConstant::id)->default_bits == value.bits;
  });
  if (key.values.empty()) return key;
  VYRE_ASSIGN(const Interface specialised, reflect(module(), interface().entry_point, key.values));
  key.workgroup = specialised.workgroup.size;
  return key;
}

Result<Interface> Program::specialise(std::span<const spirv::SpecOverride> values) const {
  VYRE_ASSIGN(const SpecKey key, spec_key(values));
  VYRE_ASSIGN(Interface specialised, reflect(module(), interface().entry_point, key.values));
  specialised.block_layout = interface().block_layout;
  return specialised;
}

Hash128 hash_of(const SpecKey& key) {
  Hasher hasher;
  for (const Hash128& hash : {key.module, key.interface}) hasher.add(hash.high).add(hash.low);
  for (const std::uint32_t size : key.workgroup) hasher.add(size);
  hasher.add(key.values.size());
  for (const spirv::SpecOverride& value : key.values) hasher.add(value.spec_id).add(value.bits);
  return hasher.finish();
}

Hash128 hash_of(const Interface& interface) {
  Hasher hasher;
  hasher.add(interface.entry_point);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<std::uint32_t> id = interface.workgroup.spec_ids[i];
    hasher.add(interface.workgroup.size[i]).add(id ? std::uint64_t{*id} + 1 : 0);
  }
  hasher.add(interface.bindings.size());
  for (const Binding& binding : interface.bindings) {
    hasher.add(binding.set).add(binding.slot).add(binding.name).add(static_cast<std::uint64_t>(binding.kind));
    hasher.add(static_cast<std::uint64_t>(binding.access)).add(binding.size).add(binding.stride);
    hasher.add(binding.runtime_sized ? 1 : 0).add(binding.count.value_or(0)).add(binding.aliased ? 1 : 0);
    hasher.add(binding.is_needed ? 1 : 0);
    add_members(hasher, binding.members);
    hasher.add(binding.variables.size());
    for (const BindingVariable& variable : binding.variables) {
      hasher.add(variable.name).add(static_cast<std::uint64_t>(variable.access)).add(variable.size);
      hasher.add(variable.stride).add(variable.runtime_sized ? 1 : 0);
      add_members(hasher, variable.members);
    }
  }
  hasher.add(interface.push_constants ? 1 : 0);
  if (interface.push_constants) {
    hasher.add(interface.push_constants->size);
    add_members(hasher, interface.push_constants->members);
  }
  hasher.add(interface.spec_constants.size());
  for (const SpecConstant& constant : interface.spec_constants) {
    hasher.add(constant.id).add(constant.name).add(static_cast<std::uint64_t>(constant.type.kind));
    hasher.add(constant.type.bits).add(constant.default_bits);
  }
  hasher.add(interface.shared_bytes).add(static_cast<std::uint64_t>(interface.block_layout));
  return hasher.finish();
}

}  // namespace vyre::program
