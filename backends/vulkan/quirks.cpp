#include <backends/vulkan/quirks.hpp>

namespace vyre::backends::vulkan {
namespace {

struct Quirk {
  VkDriverId driver;
  void (*apply)(backend::DeviceInfo& info) noexcept;
};

constexpr Quirk kQuirks[] = {
    // Mesa 22.3.6: a component that is loaded through an address after its whole vector was stored or loaded there is
    // component 0. Shown by DriverQuirks.ComponentLoadsAfterVectorStores, which fails once a driver does not need it.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.quirks.component_loads = true; }},
    // Mesa 22.3.6: an integer atomic whose operand was computed as a float (floatBitsToUint) is compiled as an atomic
    // on floats. Through an address, minimum and maximum compare floats, and atomics that add, compare or combine bits
    // end the process, as they do on shared memory. Shown by DriverQuirks.AtomicsOnBitsOfFloats.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.quirks.float_operands = true; }},
    // Mesa 22.3.6: a load through an address gives zero to inactive invocations. In a loop, the load is repeated for
    // the invocations that go on, and overwrites the values of those that have left the loop with zero. In kernels as
    // written, loads from storage buffers have the same mistake; those from uniform blocks and push constants do not.
    // Shown by DriverQuirks.ValuesOfLoops.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.quirks.values_of_loops = true; }},
    // llvmpipe ends an invocation after 65,535 iterations of all its loops together, without an error.
    // Shown by DriverQuirks.LoopsAreCutOff.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.max_iterations = 65'535; }},
    // Mesa 22.3.6: `Ldexp` with an exponent of 8, 16 or 64 bits ends the process in its compiler. vyre rewrites such
    // kernels. DriverQuirks.LdexpExponents shows that the rewritten kernel works; it cannot show that the original does
    // not, because that would end the test.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.quirks.ldexp_exponents = true; }},
    // Mesa 22.3.6: the time to compile an array grows with the square of its elements: 15 s for 16 KiB, more than 40 s
    // for 32 KiB. The same holds for values that are copied as a whole: 18 s for 2 KiB.
    {VK_DRIVER_ID_MESA_LLVMPIPE,
     [](backend::DeviceInfo& info) noexcept {
       info.limits.max_variable_bytes = std::uint64_t{16} << 10;
       info.limits.max_value_bytes = std::uint64_t{4} << 10;
     }},
    // SwiftShader ends the process if the variables of an invocation (with all calls inlined) and what its compiler
    // adds exceed 128 KiB, or if a value has 32 KiB. A value of 8 KiB takes 30 s to compile.
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
     [](backend::DeviceInfo& info) noexcept {
       info.limits.max_variable_bytes = std::uint64_t{64} << 10;
       info.limits.max_value_bytes = std::uint64_t{4} << 10;
     }},
    // SwiftShader ends the process on `OpArrayLength` of a buffer that is chosen by a non-uniform index. Without this
    // row, the module non_uniform_index of tests/forms shows it.
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
     [](backend::DeviceInfo& info) noexcept {
       std::erase(info.spirv_capabilities, "StorageBufferArrayNonUniformIndexing");
     }},
};

}  // namespace

void apply_quirks(const VkPhysicalDeviceDriverProperties& driver, backend::DeviceInfo& info) noexcept {
  for (const Quirk& quirk : kQuirks) {
    if (quirk.driver == driver.driverID) quirk.apply(info);
  }
}

}  // namespace vyre::backends::vulkan
