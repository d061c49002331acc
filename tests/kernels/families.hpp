#pragma once

#include <vector>

#include "kernel_case.hpp"

namespace vyre::kernels {

[[nodiscard]] std::vector<KernelCase> elementwise_kernels();
[[nodiscard]] std::vector<KernelCase> reduction_kernels();
[[nodiscard]] std::vector<KernelCase> scan_kernels();
[[nodiscard]] std::vector<KernelCase> stencil_kernels();
[[nodiscard]] std::vector<KernelCase> matrix_kernels();
[[nodiscard]] std::vector<KernelCase> sorting_kernels();
[[nodiscard]] std::vector<KernelCase> histogram_kernels();
[[nodiscard]] std::vector<KernelCase> nbody_fft_kernels();
[[nodiscard]] std::vector<KernelCase> hashing_bytes_kernels();
[[nodiscard]] std::vector<KernelCase> graph_kernels();
[[nodiscard]] std::vector<KernelCase> constant_kernels();
[[nodiscard]] std::vector<KernelCase> layout_kernels();
[[nodiscard]] std::vector<KernelCase> control_flow_kernels();
[[nodiscard]] std::vector<KernelCase> function_kernels();
[[nodiscard]] std::vector<KernelCase> buffer_kernels();
[[nodiscard]] std::vector<KernelCase> pattern_kernels();

}  // namespace vyre::kernels
