#pragma once

#include <cstdint>
#include <limits>

#include <vyre/base/error.hpp>
#include <vyre/plan/binding_plan.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::plan {

/// The binding plan of a program: what it reads is an input, what it writes an output.
///
/// A buffer array has a binding for each of its buffers. Variables that share a slot are one binding, which is what
/// either does and as large as both need. Bindings that are used for their length alone count as inputs.
/// `InvalidArgument`, naming the binding, if its elements have no size or more than 4 GiB, or an array has no length.
[[nodiscard]] Result<BindingPlan> plan_program_bindings(const program::Interface& interface);

}  // namespace vyre::plan
