#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/conformance/suite.hpp"
#include "tests/support/drivers.hpp"

// conformance_test [--devices LIST] [--require-devices LIST] [--validation] and what GoogleTest takes.
// A required device is a backend, or BACKEND=NAME for a part of the name that its device must have.

namespace vyre::tests {
namespace {

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) names.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

std::vector<RequiredDevice> split_required(std::string_view list) {
  std::vector<RequiredDevice> devices;
  for (const std::string& each : split(list)) {
    const std::size_t equals = std::min(each.find('='), each.size());
    devices.push_back({.backend = each.substr(0, equals), .name = each.substr(std::min(equals + 1, each.size()))});
  }
  return devices;
}

/// `InvalidArgument` for a flag there is not, or one without its list.
Result<SuiteOptions> parse(int count, char** arguments) {
  SuiteOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string_view flag = arguments[i];
    if (flag == "--validation") {
      options.validation = true;
      continue;
    }
    const bool requires_devices = flag == "--require-devices";
    if (!requires_devices && flag != "--devices") {
      return fail(ErrorCode::InvalidArgument,
                  "there is no flag '" + std::string{flag} + "'; there are --devices, --require-devices, --validation");
    }
    if (++i == count) return fail(ErrorCode::InvalidArgument, std::string{flag} + " needs a list of backends");
    if (requires_devices) {
      options.required = split_required(arguments[i]);
    } else {
      options.devices = split(arguments[i]);
    }
  }
  return options;
}

/// Fails the run where a driver complains outside any test.
class DriverEnvironment : public testing::Environment {
 public:
  void TearDown() override {
    suite().close();
    for (const std::string& message : suite().take_messages()) ADD_FAILURE() << "the driver says: " << message;
  }
};

/// The suite with every device that is required. Before any test, since one that is skipped looks no different
/// whatever the reason.
Result<std::unique_ptr<Suite>> make_suite(int count, char** arguments) {
  VYRE_ASSIGN(SuiteOptions options, parse(count, arguments));
  keep_drivers_loaded(options.validation);
  VYRE_ASSIGN(std::unique_ptr<Suite> made, Suite::make(std::move(options)));
  for (const RequiredDevice& wanted : made->options().required) {
    auto found = made->find_device(wanted.backend);
    if (!found) {
      return in_context(std::move(found).error(),
                        "while looking for a device of the required backend '" + wanted.backend + "'");
    }
    if (!found->name.contains(wanted.name)) {
      return fail(ErrorCode::Unavailable, "the device of backend '" + wanted.backend + "' is '" + found->name +
                                              "', the one that is required has '" + wanted.name + "' in its name");
    }
  }
  return made;
}

int run(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  auto made = make_suite(count, arguments);
  if (!made) {
    std::fprintf(stderr, "%s\n", to_string(made.error()).c_str());
    return 2;
  }
  set_suite(*std::move(made));
  testing::AddGlobalTestEnvironment(new DriverEnvironment);  // GoogleTest owns it.
  const int failed = RUN_ALL_TESTS();
  set_suite(nullptr);
  return failed;
}

}  // namespace
}  // namespace vyre::tests

int main(int count, char** arguments) { return vyre::tests::run(count, arguments); }
