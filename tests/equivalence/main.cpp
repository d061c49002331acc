#include <charconv>
#include <cstdio>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/equivalence/options.hpp"
#include "tests/support/drivers.hpp"

// equivalence_test [--programs N] [--first-seed N] [--validation] and what GoogleTest takes.

namespace vyre::tests {

namespace {

bool parse(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view flag = arguments[i];
    if (flag == "--validation") {
      equivalence_options().validation = true;
      continue;
    }
    std::uint64_t* number = flag == "--programs"     ? &equivalence_options().programs
                            : flag == "--first-seed" ? &equivalence_options().first_seed
                                                     : nullptr;
    if (number == nullptr || ++i == count) return false;
    const std::string_view text = arguments[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
  }
  return true;
}

}  // namespace
}  // namespace vyre::tests

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (!vyre::tests::parse(count, arguments)) {
    std::fputs("usage: equivalence_test [--programs N] [--first-seed N] [--validation]\n", stderr);
    return 2;
  }
  vyre::tests::keep_drivers_loaded(vyre::tests::equivalence_options().validation);
  return RUN_ALL_TESTS();
}
