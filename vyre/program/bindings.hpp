#pragma once

#include <vector>

#include <vyre/program/interface.hpp>

namespace vyre::program {

/// The bindings of a kernel, sorted by set and slot. `variables` are its variables in the order of declaration; those
/// that share a set and slot become one binding, see `Binding`.
[[nodiscard]] std::vector<Binding> join_variables(std::vector<Binding> variables);

}  // namespace vyre::program
