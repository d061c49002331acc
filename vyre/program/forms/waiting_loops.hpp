#pragma once

#include <string>

#include <vyre/program/forms/kernel_facts.hpp>

namespace vyre::program::forms {

/// The operation by which a loop of a function waits for other invocations; empty if none does.
///
/// A loop waits if its end depends on a value that other invocations may change while it runs, and that it reads with
/// an atomic or a volatile load. Other uses of such values do not matter.
[[nodiscard]] std::string find_wait(const KernelFacts& facts, const spirv::Function& function,
                                    spirv::Constants& constants);

}  // namespace vyre::program::forms
