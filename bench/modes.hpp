#pragma once

#include <array>

#include <vyre/runtime/session.hpp>

namespace vyre::bench {

/// The launch modes that a user can pin.
inline constexpr std::array kPinnedModes = {runtime::LaunchMode::Plain,      runtime::LaunchMode::Batched,
                                            runtime::LaunchMode::Replay,     runtime::LaunchMode::Merged,
                                            runtime::LaunchMode::Persistent, runtime::LaunchMode::Chain,
                                            runtime::LaunchMode::Bindless};

}  // namespace vyre::bench
