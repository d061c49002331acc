#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/backend/registry.hpp>

namespace vyre::tests {

/// A device that has to be there.
struct RequiredDevice {
  std::string backend = {};
  std::string name = {};  ///< A part of its name; empty for any.
};

/// What the command line asks for.
struct SuiteOptions {
  std::vector<std::string> devices = {};      ///< Backends to test; all if there are none.
  std::vector<RequiredDevice> required = {};  ///< Devices whose absence fails the run.
  bool validation = false;                    ///< Whether drivers that can check their callers do.
};

/// The backends under test, and what they said.
///
/// Thread safety: messages may arrive from any thread; the rest is for the thread that runs the tests.
class Suite {
 public:
  /// `InvalidArgument` for options that name a backend there is not.
  [[nodiscard]] static Result<std::unique_ptr<Suite>> make(SuiteOptions options);

  [[nodiscard]] const SuiteOptions& options() const noexcept { return options_; }
  [[nodiscard]] bool is_selected(std::string_view backend) const;
  [[nodiscard]] bool is_required(std::string_view backend) const;

  /// The best device of a backend. `Unavailable` if it has none.
  [[nodiscard]] Result<backend::DeviceInfo> find_device(std::string_view backend) const;
  /// Opens it inside the checking driver.
  [[nodiscard]] Result<std::unique_ptr<backend::Device>> open(const backend::DeviceInfo& info,
                                                              const backend::DeviceOptions& options) const;

  /// Lets the backends go, which may say something at the end.
  void close() { registry_ = {}; }
  /// The messages of drivers since the last call.
  [[nodiscard]] std::vector<std::string> take_messages();

 private:
  explicit Suite(SuiteOptions options) : options_{std::move(options)} {}

  SuiteOptions options_;
  std::mutex messages_mutex_;
  std::vector<std::string> messages_;
  backend::Registry registry_;
};

/// The suite that the tests run in: GoogleTest makes the tests, so nothing can be passed to them.
[[nodiscard]] Suite& suite();
void set_suite(std::unique_ptr<Suite> suite);

}  // namespace vyre::tests
