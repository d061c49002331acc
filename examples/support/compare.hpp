#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <vyre/vyre.hpp>

namespace examples {

/// What is said of an example besides its figures.
struct About {
  const char* name = "";
  const char* does = "";
  const char* checked_against = "";
};

/// Thrown by an example whose result is not the expected one.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An example in one session.
struct Runner {
  std::function<vyre::RunReport()> run = {};  ///< The whole work once, until the results are on the host.
  std::function<std::string()> check = {};    ///< What was found, in a line; throws `WrongResult`.
};

/// The kernel of a file beside the source that asks for it.
[[nodiscard]] vyre::Program load_kernel(std::string_view file,
                                        const std::source_location& source = std::source_location::current());

/// As many workgroups as `count` needs.
[[nodiscard]] constexpr std::uint32_t groups_for(std::uint64_t count, std::uint32_t group_size) {
  return static_cast<std::uint32_t>((count + group_size - 1) / group_size);
}

/// Like `printf`, into a string.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

/// Runs an example in two sessions on the best device, one that submits plainly and one that decides: by turns, three
/// times each or as often as a second and a half allows. Every run is checked, and all but the first of each, in which
/// kernels are compiled, are measured. Prints what was found, and the medians.
///
/// `--inline` lets software drivers run work without threads of their own, `--json` adds a line for programs. Gives the
/// exit code: 1 with a message if a result is wrong or something fails, 2 for other arguments.
[[nodiscard]] int compare(int argc, char** argv, const About& about, const std::function<Runner(vyre::Session&)>& make);

/// The same for a class that is made of a session and what is expected, and has `run` and `check`.
template <typename Example, typename Make>
[[nodiscard]] int compare(int argc, char** argv, const About& about, Make make_expected) {
  using Expected = std::invoke_result_t<Make>;
  std::unique_ptr<const Expected> expected;
  return compare(argc, argv, about, [&](vyre::Session& session) {
    if (expected == nullptr) expected.reset(new Expected(make_expected()));
    auto example = std::make_shared<Example>(session, *expected);
    return Runner{.run = [example] { return example->run(); }, .check = [example] { return example->check(); }};
  });
}

}  // namespace examples
