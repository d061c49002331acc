#pragma once

#include <vector>

#include <vyre/program/interface.hpp>

namespace vyre::program {

/// The bindings of a kernel, sorted by set and slot, from its variables in the order of declaration.
///
/// Variables that share a set and slot become one binding, as `Binding` says.
[[nodiscard]] std::vector<Binding> join_variables(std::vector<Binding> variables);

}  // namespace vyre::program
