#include <vyre/runtime/system.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <vyre/runtime/host.hpp>
#include <vyre/runtime/stored_spirv.hpp>
#include <vyre/runtime/tuner.hpp>

namespace vyre::runtime {

System::System(backend::Registry registry, std::shared_ptr<store::Store> store)
    : registry_{std::move(registry)},
      store_{std::move(store)},
      spirv_cache_{store_ == nullptr ? nullptr : std::make_shared<StoredSpirv>(store_)} {}

Result<std::vector<backend::DeviceInfo>> System::devices() const {
  std::vector<backend::DeviceInfo> all;
  Error none{.code = ErrorCode::Unavailable, .message = "there is no device"};
  for (const std::unique_ptr<backend::Backend>& backend : registry_.backends()) {
    if (auto found = backend->devices()) {
      std::ranges::move(*found, std::back_inserter(all));
    } else {
      none.context.push_back(fmt::format("backend '{}': {}", backend->name(), found.error().message));
    }
  }
  if (all.empty()) return std::unexpected{std::move(none)};
  return all;
}

Result<std::shared_ptr<backend::Device>> System::open(const DevicePreference& preference,
                                                      const backend::DeviceOptions& options) const {
  if (!preference.backend.empty()) VYRE_TRY(registry_.find(preference.backend));
  VYRE_ASSIGN(const std::vector<backend::DeviceInfo> all, devices());
  std::string names;
  for (const backend::DeviceInfo& info : all) {
    const bool suits = (preference.backend.empty() || info.backend == preference.backend) &&
                       info.name.find(preference.name) != std::string::npos;
    if (suits) {
      VYRE_ASSIGN(backend::Backend * backend, registry_.find(info.backend));
      VYRE_ASSIGN(std::unique_ptr<backend::Device> device, backend::Device::open(*backend, info, options));
      if (store_ != nullptr) Tuner::of(*device)->keep_in(store_, scope_of(info, read_host()));
      return std::shared_ptr<backend::Device>{std::move(device)};
    }
    names += fmt::format("{}'{}' of {}", names.empty() ? "" : ", ", info.name, info.backend);
  }
  return fail(ErrorCode::Unavailable,
              fmt::format("no device{} has '{}' in its name; there are {}",
                          preference.backend.empty() ? "" : fmt::format(" of backend '{}'", preference.backend),
                          preference.name, names));
}

}  // namespace vyre::runtime
