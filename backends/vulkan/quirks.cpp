#include <backends/vulkan/quirks.hpp>

namespace vyre::backends::vulkan {
namespace {

struct Quirk {
  VkDriverId driver;
  void (*apply)(backend::FormSupport& forms) noexcept;
};

constexpr Quirk kQuirks[] = {
    // Mesa 22.3.6: a component that is loaded through an address after its whole vector was stored there is component
    // 0. Shown by DriverQuirks.ComponentLoadsAfterVectorStores, which fails once a driver does not need it.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::FormSupport& forms) noexcept { forms.quirks.component_loads = true; }},
    // Mesa 22.3.6: an atomic on whole numbers whose operand was computed as a float (floatBitsToUint) takes it for one:
    // through an address, the least and the largest are those of floats, and what adds, compares or combines bits ends
    // the process; on shared memory it does, too. Shown by DriverQuirks.AtomicsOnBitsOfFloats.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::FormSupport& forms) noexcept { forms.quirks.float_operands = true; }},
    // Mesa 22.3.6: a load through an address gives zero to invocations that are not there. In a loop it is made again
    // for those that go on, so that behind the loop the others have zero. Loads from storage buffers are wrong in the
    // same way as written, those of uniform blocks and push constants are not. Shown by DriverQuirks.ValuesOfLoops.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::FormSupport& forms) noexcept { forms.quirks.values_of_loops = true; }},
    // llvmpipe ends an invocation after 65,535 iterations of all its loops together, without an error.
    // Shown by DriverQuirks.LoopsAreCutOff.
    {VK_DRIVER_ID_MESA_LLVMPIPE, [](backend::FormSupport& forms) noexcept { forms.max_iterations = 65'535; }},
};

}  // namespace

void apply_quirks(const VkPhysicalDeviceDriverProperties& driver, backend::FormSupport& forms) noexcept {
  for (const Quirk& quirk : kQuirks) {
    if (quirk.driver == driver.driverID) quirk.apply(forms);
  }
}

}  // namespace vyre::backends::vulkan
