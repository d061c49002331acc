#pragma once

#include <cstdint>
#include <limits>

#include <vyre/base/error.hpp>
#include <vyre/plan/binding_plan.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::plan {

/// The binding plan of a program: what it reads is an input, what it writes an output.
///
/// A buffer array has a binding for each of its buffers. Bindings that are used for their length alone count as inputs.
/// An output is not given by the host: what the kernel leaves unwritten is undefined.
/// `InvalidArgument`, naming the binding, if its elements have no size or more than 4 GiB, or an array of buffers has
/// no length or more than 65,536.
[[nodiscard]] Result<BindingPlan> plan_program_bindings(const program::Interface& interface);

}  // namespace vyre::plan
