#pragma once

#include <span>
#include <string_view>

/// What the suite does not ask of a device, and what it knows to be broken: two lists, never one.
namespace vyre::tests {

/// A test of one backend. `test` is the name behind `Conformance.`; a kernel of the corpus is `Corpus.` and its name.
struct Exception {
  std::string_view backend = {};
  std::string_view test = {};
  std::string_view reason = {};
};

/// What a backend will never do. Such tests are skipped, with the reason.
[[nodiscard]] constexpr std::span<const Exception> unsupported() noexcept { return {}; }

/// What is broken today. Such tests run and must fail; one that passes fails the run, so that the list stays true.
[[nodiscard]] constexpr std::span<const Exception> expected_to_fail() noexcept { return {}; }

/// The entry for a test, or null.
[[nodiscard]] constexpr const Exception* find_exception(std::span<const Exception> list, std::string_view backend,
                                                        std::string_view test) noexcept {
  for (const Exception& entry : list) {
    if (entry.backend == backend && entry.test == test) return &entry;
  }
  return nullptr;
}

}  // namespace vyre::tests
