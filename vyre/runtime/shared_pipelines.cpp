#include <vyre/runtime/shared_pipelines.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include <vyre/runtime/device_state.hpp>

namespace vyre::runtime {

using program::FormKind;

SharedPipelines::SharedPipelines(backend::Device& device, program::Program program,
                                 std::span<const program::spirv::SpecOverride> values)
    : device_{device}, program_{std::move(program)}, values_{values.begin(), values.end()} {}

SharedPipelines::~SharedPipelines() {
  for (const Slot& each : slots_) {
    if (each.is_compiled) std::ignore = device_.free(each.pipeline);
  }
}

bool SharedPipelines::is_of(const program::Program& program,
                            std::span<const program::spirv::SpecOverride> values) const noexcept {
  return program_.module_hash() == program.module_hash() && program_.interface_hash() == program.interface_hash() &&
         program_.name() == program.name() && std::ranges::equal(values_, values);
}

std::shared_ptr<SharedPipelines> SharedPipelines::of(backend::Device& device, const program::Program& program,
                                                     std::span<const program::spirv::SpecOverride> values) {
  DeviceState& state = DeviceState::of(device);
  // Declared before the lock, and so destroyed after it is released: dropping a last reference frees pipelines, and
  // that should not happen under the lock.
  std::vector<std::shared_ptr<SharedPipelines>> others;
  const std::scoped_lock lock{state.mutex};
  std::erase_if(state.pipelines, [](const auto& each) { return each.expired(); });
  for (const auto& each : state.pipelines) {
    auto found = each.lock();
    if (found != nullptr && found->is_of(program, values)) return found;
    others.push_back(std::move(found));
  }
  auto made = std::make_shared<SharedPipelines>(device, program, values);
  state.pipelines.push_back(made);
  return made;
}

Result<backend::PipelineHandle> SharedPipelines::get(FormKind form, bool warm, std::chrono::nanoseconds timeout) {
  Slot& wanted = slots_[static_cast<std::size_t>(form)];
  const std::scoped_lock lock{wanted.mutex};
  if (wanted.is_compiled) return wanted.pipeline;
  VYRE_ASSIGN(wanted.pipeline,
              device_.compile(program_, {.values = values_, .form = form, .warm = warm, .timeout = timeout}));
  wanted.is_compiled = true;
  return wanted.pipeline;
}

}  // namespace vyre::runtime
