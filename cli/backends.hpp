#pragma once

#include <memory>

#include <vyre/backend/registry.hpp>
#include <vyre/runtime/system.hpp>
#include <vyre/store/store.hpp>

namespace vyre::cli {

/// The devices of all backends that this program was built with, the preferred ones first. Never destroyed before the
/// process ends, because some drivers do not clean up when they are unloaded. The first call says in which store they
/// keep what is learned; the caller flushes it in the end.
[[nodiscard]] const runtime::System& all_devices(std::shared_ptr<store::Store> store = nullptr);
[[nodiscard]] const backend::Registry& all_backends();

/// Makes software drivers run kernels inline, if they can. Changes the environment, so it must be called before a
/// thread is started or a device is listed.
void prefer_inline_drivers();

}  // namespace vyre::cli
