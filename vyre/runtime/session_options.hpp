#pragma once

#include <vyre/base/error.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::runtime {

/// The most operations of a batch or a capture. The limit follows from the list, which counts bytes of parameters in 32
/// bits: a dispatch has up to `Params::kMaxBytes` of them.
inline constexpr std::size_t kMaxOperations = (std::size_t{1} << 32) / Params::kMaxBytes;

/// `InvalidArgument`, naming the option, its value and the limit, for an option outside of its valid range.
[[nodiscard]] Result<void> check(const SessionOptions& options);

}  // namespace vyre::runtime
