#include <backends/vulkan/device_query.hpp>

#include <algorithm>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <backends/vulkan/quirks.hpp>

namespace vyre::backends::vulkan {
namespace {

using backend::DeviceType;

constexpr std::uint32_t kMaxTimestamps = 4096;
constexpr std::uint32_t kSpirv15 = 0x0001'0500;
constexpr std::uint32_t kSpirv16 = 0x0001'0600;

DeviceType to_type(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return DeviceType::DiscreteGpu;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return DeviceType::IntegratedGpu;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return DeviceType::VirtualGpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return DeviceType::Cpu;
    default: return DeviceType::Other;
  }
}

/// The first queue family with compute, and its properties.
std::optional<std::pair<std::uint32_t, VkQueueFamilyProperties>> compute_family(const InstanceApi& api,
                                                                                VkPhysicalDevice device) {
  std::uint32_t count = 0;
  api.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return std::pair{i, families[i]};
  }
  return std::nullopt;
}

backend::FormSupport forms_of(const FeatureChain& features, const backend::DeviceInfo& info) {
  backend::FormSupport forms;
  if (features.v12.bufferDeviceAddress != VK_TRUE || info.limits.max_push_bytes < sizeof(program::Root)) return forms;
  forms.pointer_form = forms.merged_form = forms.persistent_form = forms.chain_form = true;
  forms.bindless = backend::Bindless::Full;
  // Vulkan does not say how many workgroups a GPU runs at once; this number should keep all of it busy.
  constexpr std::uint32_t kManyWorkgroups = 256;
  forms.workgroups = kManyWorkgroups;
  // Nor does it say how long a workgroup takes. A single workgroup that runs this number of them should be done soon.
  constexpr std::uint32_t kFewWorkgroups = 256;
  forms.turn_groups = kFewWorkgroups;
  if (info.type == backend::DeviceType::Cpu) {
    const bool is_inline = info.configuration == "inline";
    forms.turn_groups = backend::FormSupport{}.turn_groups;
    forms.workgroups = is_inline ? 1 : 4 * std::max(1U, std::thread::hardware_concurrency());
    // A processor runs the invocations of a workgroup one vector after another. With a fold, one vector loops over
    // them, and the record is loaded once.
    forms.fold = info.limits.subgroup_size;
    // A processor makes a load for each invocation, even if all of them load from the same address.
    const bool has_wide = std::ranges::binary_search(info.spirv_capabilities, "Int64");
    const bool can = has_wide && std::ranges::binary_search(info.spirv_capabilities, "GroupNonUniformBallot") &&
                     features.v12.shaderSubgroupExtendedTypes == VK_TRUE;
    forms.lanes = can ? info.limits.subgroup_size : 0;
    // A processor loads and stores a vector one component at a time.
    forms.pairs = has_wide && info.limits.storage_alignment % 8 == 0 && info.limits.uniform_alignment % 8 == 0;
  }
  return forms;
}

}  // namespace

Result<std::optional<PhysicalDevice>> query_device(const Instance& instance, VkPhysicalDevice native) {
  const InstanceApi& api = instance.api();
  VkPhysicalDeviceProperties basic;
  api.GetPhysicalDeviceProperties(native, &basic);
  if (basic.apiVersion < VK_API_VERSION_1_2) return std::nullopt;
  const auto family = compute_family(api, native);
  if (!family) return std::nullopt;
  FeatureChain features;
  VYRE_TRY(read_features(api, native, basic.apiVersion, features));
  if (features.v12.timelineSemaphore != VK_TRUE) return std::nullopt;

  VkPhysicalDeviceIDProperties ids{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &ids};
  VkPhysicalDeviceSubgroupProperties subgroup{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                              .pNext = &driver};
  VkPhysicalDeviceFloatControlsProperties controls{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES,
                                                   .pNext = &subgroup};
  VkPhysicalDeviceMaintenance3Properties large{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
                                               .pNext = &controls};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &large};
  api.GetPhysicalDeviceProperties2(native, &properties);
  const VkPhysicalDeviceLimits& limits = properties.properties.limits;

  PhysicalDevice device{.native = native, .api_version = basic.apiVersion, .queue_family = family->first};
  api.GetPhysicalDeviceMemoryProperties(native, &device.memory);
  std::uint64_t heap = 0;
  for (std::uint32_t i = 0; i < device.memory.memoryHeapCount; ++i) {
    const bool is_local = (device.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    if (is_local) heap = std::max(heap, device.memory.memoryHeaps[i].size);
  }
  bool maps_device_memory = false;
  for (std::uint32_t i = 0; i < device.memory.memoryTypeCount; ++i) {
    constexpr VkMemoryPropertyFlags kBoth = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    maps_device_memory = maps_device_memory || (device.memory.memoryTypes[i].propertyFlags & kBoth) == kBoth;
  }

  backend::DeviceInfo& info = device.info;
  info.backend = "vulkan";
  info.name = basic.deviceName;
  info.type = to_type(basic.deviceType);
  info.driver = fmt::format("{} {}", driver.driverName, driver.driverInfo);
  info.api = fmt::format("Vulkan {}.{}.{}", VK_API_VERSION_MAJOR(basic.apiVersion),
                         VK_API_VERSION_MINOR(basic.apiVersion), VK_API_VERSION_PATCH(basic.apiVersion));
  if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) {
    info.configuration = instance.runs_inline() ? "inline" : "threaded";
  }
  info.signature = fmt::format("vulkan/{}/{}/{:x}/{:x}:{:x}/{:02x}/{}", info.name, info.driver, basic.driverVersion,
                               basic.vendorID, basic.deviceID, fmt::join(ids.deviceUUID, ""), info.configuration);
  const std::uint64_t buffer_bytes =
      std::min<std::uint64_t>(large.maxMemoryAllocationSize, heap) - program::kReadBehind;
  info.limits = {
      .memory_bytes = heap,
      .max_buffer_bytes = buffer_bytes,
      .max_storage_range = std::min<std::uint64_t>(limits.maxStorageBufferRange, buffer_bytes),
      .max_uniform_range = std::min<std::uint64_t>(limits.maxUniformBufferRange, buffer_bytes),
      .storage_alignment = static_cast<std::uint32_t>(limits.minStorageBufferOffsetAlignment),
      .uniform_alignment = static_cast<std::uint32_t>(limits.minUniformBufferOffsetAlignment),
      .max_sets = std::min(limits.maxBoundDescriptorSets, kMaxBoundSets),
      .max_storage_buffers =
          std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers),
      .max_uniform_buffers =
          std::min(limits.maxPerStageDescriptorUniformBuffers, limits.maxDescriptorSetUniformBuffers),
      .max_buffers = limits.maxPerStageResources,
      .max_push_bytes = limits.maxPushConstantsSize,
      .max_groups = std::to_array(limits.maxComputeWorkGroupCount),
      .max_workgroup = std::to_array(limits.maxComputeWorkGroupSize),
      .max_workgroup_invocations = limits.maxComputeWorkGroupInvocations,
      .max_shared_bytes = limits.maxComputeSharedMemorySize,
      .subgroup_size = subgroup.subgroupSize,
      .max_spirv_version = basic.apiVersion >= VK_API_VERSION_1_3 ? kSpirv16 : kSpirv15,
      .max_timestamps = family->second.timestampValidBits == 0 ? 0 : kMaxTimestamps,
      .queues = std::min(family->second.queueCount, kMaxQueues),
  };
  info.block_layout = features.v12.scalarBlockLayout == VK_TRUE             ? program::BlockLayout::Scalar
                      : features.v12.uniformBufferStandardLayout == VK_TRUE ? program::BlockLayout::UniformStandard
                                                                            : program::BlockLayout::Standard;
  SpirvSupport support = spirv_support(features, basic.apiVersion, subgroup, controls);
  info.spirv_capabilities = std::move(support.capabilities);
  info.spirv_execution_modes = std::move(support.execution_modes);
  info.spirv_extensions = std::move(support.extensions);
  info.forms = forms_of(features, info);
  apply_quirks(driver, info);
  info.maps_device_memory = maps_device_memory;
  info.timestamp_period_ns = double{limits.timestampPeriod};
  return device;
}

}  // namespace vyre::backends::vulkan
