#include "tests/support/stage_rig.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace vyre::tests {
namespace {

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t index) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + index * 4, 4);
  return number;
}

void put(std::span<std::byte> bytes, std::size_t index, std::uint32_t number) {
  std::memcpy(bytes.data() + index * 4, &number, 4);
}

}  // namespace

const program::Program& add_program() {
  static const program::Program made = program::Program::from_glsl(R"(#version 450
    layout(local_size_x = 4) in;
    layout(push_constant) uniform Params { uint bias; };
    layout(set = 0, binding = 0) readonly buffer From { uint numbers[]; } from;
    layout(set = 0, binding = 1) writeonly buffer To { uint numbers[]; } to;
    void main() { to.numbers[gl_GlobalInvocationID.x] = from.numbers[gl_GlobalInvocationID.x] + bias; })",
                                                                   {.name = "add"})
                                           .value();
  return made;
}

const program::Program& scale_program() {
  static const program::Program made = program::Program::from_glsl(R"(#version 450
    layout(local_size_x = 4) in;
    layout(constant_id = 7) const uint factor = 2;
    layout(set = 0, binding = 0) buffer Data { uint numbers[]; } data;
    void main() { data.numbers[gl_GlobalInvocationID.x] *= factor; })",
                                                                   {.name = "scale"})
                                           .value();
  return made;
}

backends::fake::FakeOptions with_kernels(backends::fake::FakeOptions options) {
  // Every workgroup has four invocations; those beyond a buffer do nothing.
  options.kernels["add"] = [](const backends::fake::Invocation& in) {
    for (std::size_t i = 0; i < std::size_t{in.groups[0]} * 4 && i * 4 < in.bindings[1].size(); ++i) {
      put(in.bindings[1], i, number_at(in.bindings[0], i) + number_at(in.params, 0));
    }
  };
  options.kernels["scale"] = [](const backends::fake::Invocation& in) {
    const std::uint64_t factor = in.values.empty() ? 2 : in.values.front().bits;
    for (std::size_t i = 0; i < std::size_t{in.groups[0]} * 4 && i * 4 < in.bindings[0].size(); ++i) {
      put(in.bindings[0], i, static_cast<std::uint32_t>(number_at(in.bindings[0], i) * factor));
    }
  };
  return options;
}

}  // namespace vyre::tests
