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
    // Mesa 22.3.6: an atomic on whole numbers whose operand was computed as a float (floatBitsToUint) takes it for one:
    // through an address, the least and the largest are those of floats, and what adds, compares or combines bits ends
    // the process; on shared memory it does, too. Shown by DriverQuirks.AtomicsOnBitsOfFloats.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.quirks.float_operands = true; }},
    // Mesa 22.3.6: a load through an address gives zero to invocations that are not there. In a loop it is made again
    // for those that go on, so that behind the loop the others have zero. Loads from storage buffers are wrong in the
    // same way as written, those of uniform blocks and push constants are not. Shown by DriverQuirks.ValuesOfLoops.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.quirks.values_of_loops = true; }},
    // llvmpipe ends an invocation after 65,535 iterations of all its loops together, without an error.
    // Shown by DriverQuirks.LoopsAreCutOff.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.max_iterations = 65'535; }},
    // Mesa 22.3.6: `Ldexp` with an exponent of 8, 16 or 64 bits ends the process in its compiler. Rewritten on the way
    // in, which DriverQuirks.LdexpExponents shows; that it is still needed cannot be shown in one process.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::DeviceInfo& info) noexcept { info.forms.quirks.ldexp_exponents = true; }},
    // Mesa 22.3.6 compiles an array in a time that grows with the square of its elements: 16 KiB take 15 s, 32 KiB more
    // than 40. So do values that are copied as a whole: 2 KiB take 18 s.
    {VK_DRIVER_ID_MESA_LLVMPIPE,
     [](backend::DeviceInfo& info) noexcept {
       info.limits.max_variable_bytes = std::uint64_t{16} << 10;
       info.limits.max_value_bytes = std::uint64_t{4} << 10;
     }},
    // SwiftShader ends the process where the variables of an invocation, calls inlined, and what its compiler adds take
    // more than 128 KiB, and where a value has 32 KiB; one of 8 KiB takes 30 s.
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
     [](backend::DeviceInfo& info) noexcept {
       info.limits.max_variable_bytes = std::uint64_t{64} << 10;
       info.limits.max_value_bytes = std::uint64_t{4} << 10;
     }},
    // SwiftShader ends the process where the length of a buffer is asked for by an index that is not uniform: the
    // module non_uniform_index of tests/forms shows it once this row is gone.
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
