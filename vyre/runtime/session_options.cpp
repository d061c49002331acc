#include <vyre/runtime/session_options.hpp>

#include <string_view>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

template <typename T>
std::unexpected<Error> refuse(std::string_view option, const T& value, std::string_view takes) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the session option {} is {}, it takes {}", option, value, takes));
}

}  // namespace

Result<void> check(const SessionOptions& options) {
  if (static_cast<std::size_t>(options.mode) >= kAllLaunchModes.size()) {
    return refuse("mode", static_cast<int>(options.mode),
                  fmt::format("0 ({}) to {} ({})", to_string(kAllLaunchModes.front()), kAllLaunchModes.size() - 1,
                              to_string(kAllLaunchModes.back())));
  }
  if (options.max_batch < 1 || options.max_batch > kMaxOperations) {
    return refuse("max_batch", options.max_batch, fmt::format("1 to {}", kMaxOperations));
  }
  if (options.max_pipelines < 1) return refuse("max_pipelines", options.max_pipelines, "1 or more");
  if (options.watchdog.count() < 1) {
    return refuse("watchdog", fmt::format("{} ns", options.watchdog.count()), "1 ns or more");
  }
  // Written so that NaN is refused, too.
  if (!(options.exploration >= 0 && options.exploration <= 1)) {
    return refuse("exploration", options.exploration, "0 to 1");
  }
  if (options.calibrate_after.count() < 0) {
    return refuse("calibrate_after", fmt::format("{} ns", options.calibrate_after.count()), "0 ns or more");
  }
  return {};
}

}  // namespace vyre::runtime
