#include <vyre/runtime/compiled_program.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>

namespace vyre::runtime {
namespace {

using program::FormKind;
using program::ScalarKind;

std::string type_name(ScalarKind kind, std::uint32_t bits, std::uint32_t components) {
  const program::ScalarType scalar{.kind = kind, .bits = bits};
  return components == 1 ? program::to_string(scalar) : program::vector_name(scalar, components);
}

ParamSlot to_slot(const program::Member& member) {
  ParamSlot slot{.name = member.name, .type = member.type, .offset = member.offset};
  for (const ScalarKind kind : {ScalarKind::Int, ScalarKind::Uint, ScalarKind::Float}) {
    for (const std::uint8_t bits : std::to_array<std::uint8_t>({8, 16, 32, 64})) {
      if (kind == ScalarKind::Float && bits == 8) continue;
      for (std::uint8_t components = 1; components <= 4; ++components) {
        if (type_name(kind, bits, components) != member.type) continue;
        slot.is_plain = true;
        slot.kind = kind;
        slot.bits = bits;
        slot.components = components;
        return slot;
      }
    }
  }
  return slot;
}

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

}  // namespace

Result<CompiledProgram> compile_program(backend::Device& device, const program::Program& program,
                                        std::span<const program::spirv::SpecOverride> values,
                                        program::FormKind wanted) {
  const std::uint32_t push_bytes = program.interface().push_constants ? program.interface().push_constants->size : 0;
  if (push_bytes > Params::kMaxBytes) {
    return fail(ErrorCode::Unsupported, fmt::format("program '{}' has {} bytes of push constants, the limit is {}",
                                                    program.name(), push_bytes, Params::kMaxBytes));
  }
  CompiledProgram compiled{.program = program,
                           .values = {values.begin(), values.end()},
                           .shared = SharedPipelines::of(device, program, values)};
  if (wanted != FormKind::Descriptor) {
    const auto form = compiled.shared->get(wanted);
    if (form) {
      compiled.pipeline = *form;
      compiled.form = wanted;
    } else if (form.error().code == ErrorCode::Unsupported) {
      compiled.form_refused = form.error().message;
    } else {
      return std::unexpected{form.error()};
    }
  }
  if (compiled.form == FormKind::Descriptor) {
    VYRE_ASSIGN(compiled.pipeline, find_written(compiled));
    compiled.form = compiled.written_form;
  } else if (takes_turns(compiled.form)) {
    // A dispatch that takes too long for one workgroup will run as written.
    VYRE_TRY(find_written(compiled));
  }
  // The program was compiled with these values, so neither of the next two calls can fail.
  compiled.id = hash_of(program.spec_key(values).value()).low;
  const program::Interface interface = values.empty() ? program.interface() : program.specialise(values).value();
  VYRE_ASSIGN(compiled.bindings, plan::plan_program_bindings(interface, device.info().limits));
  if (interface.push_constants) {
    compiled.push_bytes = interface.push_constants->size;
    for (const program::Member& member : interface.push_constants->members) compiled.params.push_back(to_slot(member));
    std::ranges::sort(compiled.params, {}, &ParamSlot::offset);
  }
  return compiled;
}

Result<backend::PipelineHandle> find_form(CompiledProgram& compiled, program::FormKind form,
                                          std::chrono::nanoseconds timeout) {
  if (const backend::PipelineHandle known = compiled.pipeline_in(form); known.generation != 0) return known;
  // Some drivers compile at the first launch. `get_warm` makes one, so that this time does not count against the form.
  auto made = compiled.shared->get_warm(form, timeout);
  if (made) {
    compiled.others[static_cast<std::size_t>(form)] = *made;
  } else if (made.error().code == ErrorCode::Unsupported) {
    compiled.refused[static_cast<std::size_t>(form)] = true;
    compiled.form_refused = made.error().message;
  }
  return made;
}

Result<backend::PipelineHandle> find_written(CompiledProgram& compiled) {
  if (compiled.written_pipeline.generation != 0) return compiled.written_pipeline;
  auto written = compiled.shared->get(FormKind::Descriptor);
  if (!written && written.error().code == ErrorCode::Unsupported) {
    if (auto through_table = compiled.shared->get(FormKind::Pointer)) {
      written = through_table;
      compiled.written_form = FormKind::Pointer;
    }
  }
  if (written) compiled.written_pipeline = *written;
  return written;
}

std::vector<backend::PipelineHandle> pipelines_of(const CompiledProgram& compiled) {
  std::vector<backend::PipelineHandle> all{compiled.pipeline, compiled.written_pipeline};
  all.insert(all.end(), compiled.others.begin(), compiled.others.end());
  std::erase_if(all, [](backend::PipelineHandle each) { return each.generation == 0; });
  return all;
}

std::unexpected<Error> wrong_buffer_count(const CompiledProgram& program, std::size_t given) {
  constexpr std::size_t kMostNames = 16;  // The message stays short for a kernel with a thousand buffers.
  const std::span slots{program.bindings.slots};
  std::string names;
  for (const plan::PlannedBinding& slot : slots.first(std::min(slots.size(), kMostNames))) {
    names += (names.empty() ? "" : ", ") + to_string(slot.rule);
  }
  if (slots.size() > kMostNames) names += fmt::format(" and {} others", slots.size() - kMostNames);
  return invalid(fmt::format("program '{}' uses {} buffers{}{}, {} are given", program.program.name(), slots.size(),
                             names.empty() ? "" : ": ", names, given));
}

namespace {

std::unexpected<Error> too_many(const CompiledProgram& program, const Params& params) {
  if (params.is_block()) {
    return invalid(fmt::format("program '{}' has {} bytes of push constants, {} are given, the limit is {}",
                               program.program.name(), program.push_bytes, params.byte_count(), Params::kMaxBytes));
  }
  return invalid(fmt::format(
      "program '{}' has {} parameters, {} of together {} bytes are given, the limits are {} values and {} bytes; "
      "`params_block` gives any number of members",
      program.program.name(), program.params.size(), params.value_count(), params.byte_count(), Params::kMaxValues,
      Params::kMaxBytes));
}

}  // namespace

Result<void> lay_out(const CompiledProgram& program, const Params& params, std::byte* room) {
  if (!params.fits()) [[unlikely]]
    return too_many(program, params);
  const std::span<const std::byte> bytes = params.bytes();
  if (params.is_block()) {
    if (bytes.size() != program.push_bytes) {
      return invalid(fmt::format("program '{}' has {} bytes of push constants, {} are given", program.program.name(),
                                 program.push_bytes, bytes.size()));
    }
    std::ranges::copy(bytes, room);
    return {};
  }
  const std::span<const Params::Value> values = params.values();
  if (values.size() != program.params.size()) {
    return invalid(fmt::format("program '{}' has {} parameters, {} are given", program.program.name(),
                               program.params.size(), values.size()));
  }
  std::fill_n(room, program.push_bytes, std::byte{});
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Params::Value& value = values[i];
    std::size_t index = i;
    if (value.is_named()) {
      const auto found = std::ranges::find(program.params, value.name(), &ParamSlot::name);
      if (found == program.params.end()) {
        return invalid(fmt::format("program '{}' has no parameter '{}'", program.program.name(), value.name()));
      }
      index = static_cast<std::size_t>(found - program.params.begin());
    }
    const ParamSlot& slot = program.params[index];
    if ((given >> index & 1) != 0) return invalid(fmt::format("parameter '{}' is given twice", slot.name));
    given |= 1U << index;
    if (!slot.takes(value)) [[unlikely]] {
      if (!slot.is_plain) {
        return invalid(fmt::format("parameter '{}' is a {}, it can be given only with the bytes of the whole block",
                                   slot.name, slot.type));
      }
      return invalid(fmt::format("parameter '{}' is a {}, it is given a {}", slot.name, slot.type,
                                 type_name(value.kind, value.bits, value.components)));
    }
    std::memcpy(room + slot.offset, bytes.data() + value.offset, std::size_t{value.bits} / 8 * value.components);
  }
  return {};
}

}  // namespace vyre::runtime
