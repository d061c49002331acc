#pragma once

#include <map>
#include <string>
#include <vector>

#include <backends/fake/fake_backend.hpp>
#include "tests/kernels/kernel_case.hpp"

namespace vyre::tests {

/// The kernels of the corpus, made once.
[[nodiscard]] const std::vector<kernels::KernelCase>& corpus();

/// The oracles of the corpus as kernels for a device that runs functions, by program name.
[[nodiscard]] std::map<std::string, backends::fake::Kernel> corpus_kernels();

/// What differs between the contents of a buffer and the oracle's, by the buffer's rule; empty if nothing does.
[[nodiscard]] std::string difference(const kernels::Buffer& actual, const kernels::Buffer& expected);

}  // namespace vyre::tests
