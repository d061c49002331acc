#pragma once

#include <string>

#include <vyre/program/forms/kernel_facts.hpp>

namespace vyre::program::forms {

/// The operation by which a loop of a function waits for other invocations; empty if none does.
///
/// A loop waits if whether it goes on hangs on a value that others change meanwhile: one that an atomic or a volatile
/// load finds. What else is done with such values does not matter.
[[nodiscard]] std::string find_wait(const KernelFacts& facts, const spirv::Function& function,
                                    spirv::Constants& constants);

}  // namespace vyre::program::forms
