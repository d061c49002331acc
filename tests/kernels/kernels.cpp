#include <iterator>
#include <vector>

#include "families.hpp"
#include "kernel_case.hpp"

namespace vyre::kernels {

std::vector<KernelCase> all_kernels() {
  std::vector<KernelCase> all;
  for (auto* const family :
       {elementwise_kernels, reduction_kernels, scan_kernels, stencil_kernels, matrix_kernels, sorting_kernels,
        histogram_kernels, nbody_fft_kernels, hashing_bytes_kernels, graph_kernels, constant_kernels, layout_kernels,
        control_flow_kernels, function_kernels, buffer_kernels, pattern_kernels}) {
    std::vector<KernelCase> cases = family();
    all.insert(all.end(), std::make_move_iterator(cases.begin()), std::make_move_iterator(cases.end()));
  }
  return all;
}

}  // namespace vyre::kernels
