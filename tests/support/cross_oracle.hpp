#pragma once

#include <cstdint>
#include <vector>

#include <vyre/program/interface.hpp>

namespace vyre::tests {

/// Fails the test wherever SPIRV-Cross reflects a module otherwise than it was derived, in every field both have: entry
/// point, workgroup and its specialisation, buffers with their places, names and array lengths, every member's offset,
/// size and strides, push constants, specialisation constants, capabilities, extensions.
void expect_same_as_spirv_cross(const std::vector<std::uint32_t>& words, const program::Interface& derived);

}  // namespace vyre::tests
